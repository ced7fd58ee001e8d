import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy with one address for a server that is replaced by another. */
export class SwitchingProxy {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #port: number;

  constructor(port: number) {
    this.#port = port;
    this.#server = createServer((client) => this.#connect(client));
  }

  /** Returns the port that it listens on. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // A string only for a Unix socket.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes all connections; new ones go to that port. */
  switchTo(port: number): void {
    this.#port = port;
    for (const socket of this.#connections) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }

  #connect(client: Socket): void {
    const upstream = connect(this.#port, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#connections.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#connections.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
