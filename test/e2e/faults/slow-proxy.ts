import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Slowness {
  /** How long each piece is on its way. */
  readonly minMs: number;
  readonly maxMs: number;
  /** The share of pieces that take this much longer. */
  readonly stallShare: number;
  readonly stallMs: number;
}

/** A way to a server on which everything takes its time, in order, and nothing is lost. */
export class SlowProxy {
  /** `undefined`: nothing is held up. */
  slowness: Slowness | undefined;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor(port: number) {
    this.#server = createServer((client) => this.#join(client, connect(port, '127.0.0.1')));
  }

  /** The port that it listens on. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // Of a server that listens on a port it is never a path.
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #join(client: Socket, upstream: Socket): void {
    this.#carry(client, upstream);
    this.#carry(upstream, client);
  }

  #carry(from: Socket, to: Socket): void {
    this.#open.add(from);
    from.setNoDelay(true);
    // One after the other: two timers of the same moment may go off in either order.
    let earlier: Promise<unknown> = Promise.resolve();
    const later = (deliver: () => void) => {
      const dueAt = performance.now() + this.#delayMs();
      earlier = earlier.then(() => pause(Math.max(0, dueAt - performance.now()))).then(deliver);
    };
    from.on('data', (bytes) => later(() => void to.write(bytes)));
    from.on('end', () => later(() => void to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#open.delete(from);
      later(() => void to.destroy());
    });
  }

  #delayMs(): number {
    if (this.slowness === undefined) return 0;
    const { minMs, maxMs, stallShare, stallMs } = this.slowness;
    const stall = Math.random() < stallShare ? stallMs : 0;
    return minMs + Math.random() * (maxMs - minMs) + stall;
  }
}
