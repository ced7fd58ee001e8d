import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { BENCH_TOKEN } from './fill.ts';

const REQUEST = `GET /feed/ply/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${BENCH_TOKEN}\r\n\r\n`;
/** Connections opened at a time. More would overflow the listen backlog of the server. */
const CONNECT_BATCH = 50;

/** Stream clients with minimal parsing: they only record the time at which an event starts. */
export class OpenStreams {
  readonly #port: number;
  readonly #sockets: Socket[] = [];
  #sentAt = 0;
  #latencies: number[] = [];
  #allReached = () => {};

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens `count` more streams and waits until each has received its first line. */
  async open(count: number): Promise<void> {
    for (let done = 0; done < count; done += CONNECT_BATCH) {
      const some = Array.from({ length: Math.min(CONNECT_BATCH, count - done) }, () =>
        this.#openOne(),
      );
      this.#sockets.push(...(await Promise.all(some)));
    }
  }

  /**
   * Returns the milliseconds from the start of `change` until each stream has received its event.
   */
  async latenciesOf(change: () => Promise<unknown>): Promise<readonly number[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#latencies = [];
    this.#allReached = resolve;
    this.#sentAt = performance.now();
    await change();
    await promise;
    return this.#latencies;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #openOne(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#port, '127.0.0.1', () => socket.write(REQUEST));
      socket.once('error', reject);
      let head = '';
      const readHead = (chunk: Buffer) => {
        head += chunk.toString('latin1');
        if (!head.includes('\nretry: ')) return;
        if (!head.startsWith('HTTP/1.1 200 ')) return reject(new Error(head));
        socket.off('data', readHead);
        socket.on('data', (bytes: Buffer) => this.#receive(bytes));
        resolve(socket);
      };
      socket.on('data', readHead);
    });
  }

  #receive(bytes: Buffer): void {
    if (!bytes.includes('event: created\n')) return;
    this.#latencies.push(performance.now() - this.#sentAt);
    if (this.#latencies.length === this.#sockets.length) this.#allReached();
  }
}

/**
 * The limit of open files, and so of connections, of this process. Node raises its soft limit to
 * the hard limit.
 */
export function fileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? 0);
}
