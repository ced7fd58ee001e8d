import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { BENCH_TOKEN } from '../fill.ts';
import type { RunningServer } from '../processes.ts';

/** One HTTP request of a case. */
export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  /** The token of the bench account by default. */
  readonly token?: string;
  /** The response has no end: the connection is closed after its first bytes with this text. */
  readonly until?: string;
}

/** A running server with `count` samples and reports, called on one connection. */
export class FlatServer {
  readonly count: number;
  readonly adminToken: string;
  readonly process: RunningServer;
  /** A URL of this process that accepts webhooks. */
  readonly sinkUrl: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(of: Pick<FlatServer, 'count' | 'adminToken' | 'process' | 'sinkUrl'>) {
    this.count = of.count;
    this.adminToken = of.adminToken;
    this.process = of.process;
    this.sinkUrl = of.sinkUrl;
  }

  async send(call: Call): Promise<string> {
    const sent = this.#request(call);
    const response = await answerTo(sent, call.body);
    if (call.until !== undefined) return readUntil(response, call.until);
    const answer = await text(response);
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new Error(`${call.method} ${call.path}: ${status} ${answer}`);
    return answer;
  }

  /** Like `send`, for responses that are too long for a text. */
  async receive(call: Call): Promise<void> {
    const response = await answerTo(this.#request(call), call.body);
    for await (const _ of response);
    const status = response.statusCode ?? 0;
    if (status >= 300) throw new Error(`${call.method} ${call.path}: ${status}`);
  }

  /** The response parsed, for preparations. */
  async json(call: Call): Promise<Record<string, unknown>> {
    return JSON.parse(await this.send(call));
  }

  close(): void {
    this.#agent.destroy();
  }

  #request({ method = 'GET', path, type, token = BENCH_TOKEN, until }: Call): ClientRequest {
    const headers = { authorization: token, ...(type && { 'content-type': type }) };
    // A stream closes its connection, so it gets its own.
    const agent = until === undefined ? this.#agent : false;
    return request({ agent, host: '127.0.0.1', port: this.process.port, method, path, headers });
  }
}

function answerTo(sent: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

async function readUntil(response: IncomingMessage, mark: string): Promise<string> {
  let received = '';
  for await (const chunk of response) {
    received += chunk;
    if (received.includes(mark)) break;
  }
  response.destroy();
  return received;
}
