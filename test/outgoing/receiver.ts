import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const FIXTURES = join(import.meta.dirname, '../fixtures/outgoing');
export const CERTIFICATE = readFileSync(join(FIXTURES, 'certificate.pem'), 'utf8');
const KEY = readFileSync(join(FIXTURES, 'key.pem'), 'utf8');

/** Options with which a guarded client reaches receivers on loopback. */
export const LOOPBACK = { allowHttp: true, allowedNetworks: ['127.0.0.0/8'] };

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: string;
}

export type Answer = (response: ServerResponse, received: Received) => void;

export const answerWith =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end();

/** A webhook endpoint on loopback that records requests and responds with `answer`. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = answerWith(204);
  readonly #server: Server;
  readonly #isSecure: boolean;
  #onReceived: (() => void) | undefined;

  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
    const listener: RequestListener = (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces).toString();
        const received = { headers: request.headers, url: request.url ?? '', body };
        this.received.push(received);
        this.answer(response, received);
        this.#onReceived?.();
      });
    };
    this.#server = isSecure
      ? createSecureServer({ cert: CERTIFICATE, key: KEY }, listener)
      : createServer(listener);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(host = '127.0.0.1', path = '/hook?a=1'): string {
    return `${this.#isSecure ? 'https' : 'http'}://${host}:${this.port}${path}`;
  }

  /** Waits until this many requests have arrived. */
  async until(count: number): Promise<void> {
    while (this.received.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onReceived = resolve;
      await promise;
    }
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** Opens a receiver that is closed at the end of the test. */
export async function openReceiver(test: TestContext, isSecure = false): Promise<Receiver> {
  const receiver = new Receiver(isSecure);
  await receiver.listen();
  test.after(() => receiver.close());
  return receiver;
}
