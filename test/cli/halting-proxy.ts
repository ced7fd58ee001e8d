import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A way to a database that is barred as soon as something has happened there: whoever asked then
 * waits for the answer, and can be killed in the middle of its work, however quick or slow it is.
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

  /** Settled when nothing comes through any more. */
  get halted(): Promise<void> {
    return this.#halted.promise;
  }

  /** The address of the database by this way. */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return Object.assign(new URL(this.#target), { port: String(port) }).href;
  }

  /** From now on everything comes through. */
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
      // One of the two has gone in the middle of it.
    }
  }
}
