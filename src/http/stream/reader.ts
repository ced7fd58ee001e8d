import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import { closingFrame, PING } from './frames.ts';

/** What may wait for one client. Whoever is that far behind is closed, and resumes where it was. */
const MOST_WAITING_BYTES = 512 * 1024;
/** How long a client may take nothing of what it asked to be sent from before. */
const STALLED_MS = 30_000;
const CLOSE_WITHIN_MS = 2000;

/** Who reads a stream, until either side closes it. */
export class StreamReader {
  /** Of the token behind it: the stream ends with it. */
  readonly digest: Uint8Array;
  /** Whose token it is, as of the last check: decides what may be told besides. */
  viewer: Caller | undefined;
  readonly #response: ServerResponse;
  #isOpen: boolean;
  /** What the connection had taken when it was last asked; `undefined` where nothing waited. */
  #takenAtPing: number | undefined;

  constructor(response: ServerResponse, digest: Uint8Array, viewer?: Caller) {
    this.#response = response;
    this.digest = digest;
    this.viewer = viewer;
    // Whoever left before it began is heard of no more.
    this.#isOpen = !response.destroyed;
    response.once('close', () => {
      this.#isOpen = false;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The same bytes go to all readers, so that they are kept once however many wait. */
  send(bytes: Buffer): void {
    if (!this.#isOpen) return;
    this.#response.write(bytes);
    if (this.#response.writableLength > MOST_WAITING_BYTES) this.#drop();
  }

  /** The same for what comes in pages: waits until the client has taken most of it. */
  async deliver(bytes: Buffer): Promise<void> {
    if (!this.#isOpen || this.#response.write(bytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#drop(), STALLED_MS);
    timer.unref();
    this.#response.once('drain', resolve).once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#response.off('drain', resolve).off('close', resolve);
  }

  /** Tells proxies and the client that the stream is alive, and us whether the client is. */
  ping(): void {
    if (!this.#isOpen) return;
    const waiting = this.#response.writableLength;
    // The connection counts what waits in it as written.
    const taken = (this.#response.socket?.bytesWritten ?? 0) - waiting;
    const isWaiting = waiting > 0;
    const isStalled = isWaiting && taken === this.#takenAtPing;
    this.#takenAtPing = isWaiting ? taken : undefined;
    if (isStalled) this.#drop();
    else this.send(PING);
  }

  /** The last id that was sent is where the client resumes. */
  end(why: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#response.end(closingFrame(why));
    // A client that takes nothing must not keep the server from stopping.
    const timer = setTimeout(() => this.#response.destroy(), CLOSE_WITHIN_MS);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  #drop(): void {
    this.#isOpen = false;
    this.#response.destroy();
  }
}
