import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One address for a server that others take the place of, as a load balancer gives it. */
export class SwitchingProxy {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #port: number;

  constructor(port: number) {
    this.#port = port;
    this.#server = createServer((client) => this.#connect(client));
  }

  /** The port that it listens on. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // Of a server that listens on a port it is never a path.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Whoever was connected to the one before is cut off. */
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
