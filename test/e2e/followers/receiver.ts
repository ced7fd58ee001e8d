import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WireReport } from './feed-replica.ts';

interface Delivery {
  readonly type: string;
  readonly sequence: number;
  readonly reportId: string;
  readonly report: WireReport | undefined;
}

/** A webhook endpoint. It fails some deliveries, which the server must retry. */
export class Receiver {
  readonly broken: string[] = [];
  readonly #service: string;
  /** By the id of the delivery. */
  readonly #deliveries = new Map<string, Delivery>();
  readonly #server: Server;
  /** One of this many calls gets the status 500. */
  failOneIn = 5;
  #calls = 0;

  constructor(service: string) {
    this.#service = service;
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      this.#calls += 1;
      const id = String(request.headers['webhook-id']);
      // At most once per delivery: the first retry is after seconds, the second after minutes.
      const mayFail = this.failOneIn > 0 && !this.#deliveries.has(id);
      const fails = mayFail && this.#calls % this.failOneIn === 0;
      this.#record(id, body);
      response.writeHead(fails ? 500 : 204).end();
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The sequences of all deliveries, in order. */
  get sequences(): readonly number[] {
    return [...this.#deliveries.values()].map(({ sequence }) => sequence).sort((a, b) => a - b);
  }

  /** The latest state of each report, in order of sequence. */
  reports(): ReadonlyMap<string, WireReport> {
    const known = new Map<string, WireReport>();
    for (const { type, reportId, report } of this.#inOrder()) {
      if (type === 'report.deleted') known.delete(reportId);
      else if (report !== undefined) known.set(reportId, report);
    }
    return known;
  }

  #inOrder(): Delivery[] {
    return [...this.#deliveries.values()].sort((one, other) => one.sequence - other.sequence);
  }

  #record(id: string, body: string): void {
    // The sequence of the change; the report may have a later one.
    const { type, sequence, data } = JSON.parse(body);
    const delivery = { type, sequence, reportId: data.id, report: data };
    const before = this.#deliveries.get(id);
    if (before !== undefined && (before.type !== type || before.reportId !== delivery.reportId))
      this.broken.push(`${this.#service}: a retry of the delivery ${id} has other content`);
    this.#deliveries.set(id, delivery);
  }
}
