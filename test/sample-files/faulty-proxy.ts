import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers instead of the server, or never; `false` passes the call on. */
type Fault = (call: { method: string; url: string }, answer: ServerResponse) => boolean;

/** An HTTP proxy that can be made to fail. */
export class FaultyProxy {
  readonly #target: URL;
  readonly #server = createServer((call, answer) => this.#pass(call, answer));
  /** Every call, as `PUT /bucket/key?partNumber=1&…`. */
  readonly calls: string[] = [];
  fault: Fault = () => false;
  /** After this many bytes of the response to a GET, closes the connection, */
  cutAfterBytes = Number.POSITIVE_INFINITY;
  /** or keeps it open. */
  stalls = false;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(call: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url = '', headers } = call;
    this.calls.push(`${method} ${url}`);
    if (this.fault({ method, url }, answer)) {
      call.resume();
      return;
    }
    const { hostname, port } = this.#target;
    // With the original Host header, which is signed.
    const onward = request({ hostname, port, method, path: url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      if (method === 'GET') void this.#truncate(reply, answer);
      else reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    call.on('error', () => onward.destroy());
    call.pipe(onward);
  }

  async #truncate(reply: IncomingMessage, answer: ServerResponse): Promise<void> {
    let left = this.cutAfterBytes;
    for await (const chunk of reply) {
      answer.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left >= 0) continue;
      // The written bytes are sent before the connection is closed.
      if (!this.stalls) setTimeout(() => answer.destroy(), 50);
      return;
    }
    answer.end();
  }
}

/** Sends an error as S3 does. */
export function refuse(answer: ServerResponse, status: number, code: string): true {
  answer.writeHead(status, { 'content-type': 'application/xml' });
  answer.end(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>because\nof ${code}</Message></Error>`,
  );
  return true;
}
