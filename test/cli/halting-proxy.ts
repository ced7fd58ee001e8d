import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy to a database that stops forwarding answers once a condition holds. The client then
 * waits, so that a test can kill it in the middle of its work at any speed.
 */
export class HaltingProxy {
  readonly #target: URL;
  readonly #server = createServer((near) => this.#connect(near));
  readonly #sockets = new Set<Socket>();
  readonly #halted = Promise.withResolvers<void>();
  #hasHappened: () => boolean | Promise<boolean>;
  #isBarred = false;

  constructor(target: string, hasHappened: () => boolean | Promise<boolean>) {
    this.#target = new URL(target);
    this.#hasHappened = hasHappened;
  }

  /** Resolves when the proxy stops forwarding answers. */
  get halted(): Promise<void> {
    return this.#halted.promise;
  }

  /** The URL of the database through the proxy. */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return Object.assign(new URL(this.#target), { port: String(port) }).href;
  }

  /** Forwards everything from now on. */
  letGo(): void {
    this.#hasHappened = () => false;
    this.#isBarred = false;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(near: Socket): void {
    const far = connect(Number(this.#target.port), this.#target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    void this.#answer(far, near);
  }

  async #answer(far: Socket, near: Socket): Promise<void> {
    try {
      for await (const bytes of far.iterator({ destroyOnReturn: false })) {
        this.#isBarred ||= await this.#hasHappened();
        if (this.#isBarred) return this.#halted.resolve();
        near.write(bytes);
      }
    } catch {
      // One of the two connections was closed.
    }
  }
}
