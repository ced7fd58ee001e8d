import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { MemoryBudget } from '../gate/memory-budget.ts';
import { closingFrame, PING } from './frames.ts';

type StreamMemory = Pick<MemoryBudget, 'change' | 'isFull' | 'refusal'>;

interface StreamReaderOptions {
  readonly viewer?: Caller | undefined;
  readonly memory?: StreamMemory | undefined;
}

/** What may wait for one client. Whoever is that far behind is closed, and resumes where it was. */
const MAX_BUFFERED_BYTES = 512 * 1024;
/** Whoever has no more waiting than this is kept, however little memory there is. */
const SMALL_BUFFER_BYTES = 16 * 1024;
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
  readonly #memory: StreamMemory | undefined;
  /** What of the memory is counted for this client. */
  #countedBytes = 0;
  #isOpen: boolean;
  /** What the connection had taken when it was last asked; `undefined` where nothing waited. */
  #acceptedAtPing: number | undefined;

  constructor(
    response: ServerResponse,
    digest: Uint8Array,
    { viewer, memory }: StreamReaderOptions = {},
  ) {
    this.#response = response;
    this.#memory = memory;
    this.digest = digest;
    this.viewer = viewer;
    // Whoever left before it began is heard of no more.
    this.#isOpen = !response.destroyed;
    response.once('close', () => {
      this.#isOpen = false;
      this.#countTo(0);
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The same bytes go to all readers, so that they are kept once however many wait. */
  send(bytes: Buffer): void {
    if (!this.#isOpen) return;
    this.#response.write(bytes);
    const { writableLength } = this.#response;
    this.#countTo(writableLength);
    if (writableLength > MAX_BUFFERED_BYTES) this.#drop();
    else if (writableLength > SMALL_BUFFER_BYTES && this.#memory?.isFull) this.#dropForMemory();
  }

  /** The same for what comes in pages: waits until the client has taken most of it. */
  async deliver(bytes: Buffer): Promise<void> {
    if (this.#isOpen && this.#memory?.isFull) this.#dropForMemory();
    if (!this.#isOpen || this.#response.write(bytes)) return;
    this.#countTo(this.#response.writableLength);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#drop(), STALLED_MS);
    timer.unref();
    this.#response.once('drain', resolve).once('close', resolve);
    await promise;
    clearTimeout(timer);
    if (this.#isOpen) this.#countTo(this.#response.writableLength);
    this.#response.off('drain', resolve).off('close', resolve);
  }

  /** Tells proxies and the client that the stream is alive, and us whether the client is. */
  ping(): void {
    if (!this.#isOpen) return;
    const waiting = this.#response.writableLength;
    this.#countTo(waiting);
    // The connection counts what waits in it as written.
    const taken = (this.#response.socket?.bytesWritten ?? 0) - waiting;
    const isWaiting = waiting > 0;
    const isStalled = isWaiting && taken === this.#acceptedAtPing;
    this.#acceptedAtPing = isWaiting ? taken : undefined;
    if (isStalled) this.#drop();
    else this.send(PING);
  }

  /** The last id that was sent is where the client resumes. */
  end(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#response.end(closingFrame(reason));
    // A client that takes nothing must not keep the server from stopping.
    const timer = setTimeout(() => this.#response.destroy(), CLOSE_WITHIN_MS);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  /** A frame that was just written seems to wait although it is out: little is not counted. */
  #countTo(waitingBytes: number): void {
    const bytes = waitingBytes > SMALL_BUFFER_BYTES ? waitingBytes : 0;
    if (bytes === this.#countedBytes) return;
    this.#memory?.change('streams', bytes - this.#countedBytes);
    this.#countedBytes = bytes;
  }

  /** It resumes where it was, when there is memory again. */
  #dropForMemory(): void {
    this.#memory?.refusal('streams');
    this.#drop();
  }

  #drop(): void {
    this.#isOpen = false;
    this.#response.destroy();
  }
}
