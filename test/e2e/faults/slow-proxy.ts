import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Slowness {
  /** The delay of each chunk. */
  readonly minMs: number;
  readonly maxMs: number;
  /** The share of chunks that are delayed by `stallMs` more. */
  readonly stallShare: number;
  readonly stallMs: number;
}

/** A TCP proxy that delays all data, in order and without loss. */
export class SlowProxy {
  /** `undefined`: no delay. */
  slowness: Slowness | undefined;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor(port: number) {
    this.#server = createServer((client) => this.#join(client, connect(port, '127.0.0.1')));
  }

  /** Returns the port that it listens on. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // A string only for a Unix socket.
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #join(client: Socket, upstream: Socket): void {
    this.#forward(client, upstream);
    this.#forward(upstream, client);
  }

  #forward(from: Socket, to: Socket): void {
    this.#open.add(from);
    from.setNoDelay(true);
    // Chained, because two timers with the same due time can fire in either order.
    let previous: Promise<unknown> = Promise.resolve();
    const delay = (deliver: () => void) => {
      const dueAt = performance.now() + this.#delayMs();
      previous = previous.then(() => pause(Math.max(0, dueAt - performance.now()))).then(deliver);
    };
    from.on('data', (bytes) => delay(() => void to.write(bytes)));
    from.on('end', () => delay(() => void to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#open.delete(from);
      delay(() => void to.destroy());
    });
  }

  #delayMs(): number {
    if (this.slowness === undefined) return 0;
    const { minMs, maxMs, stallShare, stallMs } = this.slowness;
    const stall = Math.random() < stallShare ? stallMs : 0;
    return minMs + Math.random() * (maxMs - minMs) + stall;
  }
}
