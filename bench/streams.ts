import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { BENCH_TOKEN } from './fill.ts';

const REQUEST = `GET /feed/ply/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${BENCH_TOKEN}\r\n\r\n`;
/**
 * So many connections are being made at a time: more would overflow the queue of those that wait to
 * be accepted.
 */
const AT_ONCE = 50;

/**
 * Readers of the feed, as cheap as they can be: they look for the beginning of events, and note
 * when it came.
 */
export class OpenStreams {
  readonly #port: number;
  readonly #sockets: Socket[] = [];
  #sentAt = 0;
  #latencies: number[] = [];
  #allReached = () => {};

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens so many more, each until it has been told where it begins. */
  async open(count: number): Promise<void> {
    for (let done = 0; done < count; done += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - done) }, () => this.#openOne());
      this.#sockets.push(...(await Promise.all(some)));
    }
  }

  /**
   * Milliseconds from when `act` begins until each stream has heard of the one change that it
   * makes.
   */
  async reach(change: () => Promise<unknown>): Promise<readonly number[]> {
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
        socket.on('data', (bytes: Buffer) => this.#hear(bytes));
        resolve(socket);
      };
      socket.on('data', readHead);
    });
  }

  #hear(bytes: Buffer): void {
    if (!bytes.includes('event: created\n')) return;
    this.#latencies.push(performance.now() - this.#sentAt);
    if (this.#latencies.length === this.#sockets.length) this.#allReached();
  }
}

/**
 * How many files, and so connections, a process may have open. Node raises its own limit as far as
 * it may.
 */
export function fileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? 0);
}
