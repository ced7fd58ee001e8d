import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { MemoryBudget } from '../gate/memory-budget.ts';
import { closingFrame, PING } from './frames.ts';

type StreamMemory = Pick<MemoryBudget, 'change' | 'isFull' | 'refusal'>;

interface StreamReaderOptions {
  readonly viewer?: Caller | undefined;
  readonly memory?: StreamMemory | undefined;
}

/** The write buffer of one client. A client that is further behind is disconnected and resumes. */
const MAX_BUFFERED_BYTES = 512 * 1024;
/** A client with no more than this in its buffer stays connected even without free memory. */
const SMALL_BUFFER_BYTES = 16 * 1024;
/** How long a client that catches up may read nothing. */
const STALLED_MS = 30_000;
const CLOSE_WITHIN_MS = 2000;

/** One client of a stream. */
export class StreamReader {
  /** The digest of the token. The stream ends when the token does. */
  readonly digest: Uint8Array;
  /** The account of the token as of the last check. It decides which authors are shown. */
  viewer: Caller | undefined;
  readonly #response: ServerResponse;
  readonly #memory: StreamMemory | undefined;
  /** The memory that is counted for this client. */
  #countedBytes = 0;
  #isOpen: boolean;
  /**
   * The bytes that the kernel had accepted at the last ping; `undefined` if the buffer was empty.
   */
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
    // The client may have disconnected already. Then `close` is not emitted again.
    this.#isOpen = !response.destroyed;
    response.once('close', () => {
      this.#isOpen = false;
      this.#countTo(0);
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a frame. All readers share the buffer, so it is in memory once. */
  send(bytes: Buffer): void {
    if (!this.#isOpen) return;
    this.#response.write(bytes);
    const { writableLength } = this.#response;
    this.#countTo(writableLength);
    if (writableLength > MAX_BUFFERED_BYTES) this.#drop();
    else if (writableLength > SMALL_BUFFER_BYTES && this.#memory?.isFull) this.#dropForMemory();
  }

  /** Sends a page while the client catches up, with backpressure. */
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

  /** Keeps proxies from closing the stream, and detects stalled clients. */
  ping(): void {
    if (!this.#isOpen) return;
    const waiting = this.#response.writableLength;
    this.#countTo(waiting);
    // `bytesWritten` includes what is still buffered.
    const accepted = (this.#response.socket?.bytesWritten ?? 0) - waiting;
    const isWaiting = waiting > 0;
    const isStalled = isWaiting && accepted === this.#acceptedAtPing;
    this.#acceptedAtPing = isWaiting ? accepted : undefined;
    if (isStalled) this.#drop();
    else this.send(PING);
  }

  /** The client resumes from the last id that it received. */
  end(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#response.end(closingFrame(reason));
    // A client that reads nothing must not delay shutdown.
    const timer = setTimeout(() => this.#response.destroy(), CLOSE_WITHIN_MS);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  /**
   * A frame that was just written counts as buffered although it is sent, so small buffers are not
   * counted.
   */
  #countTo(waitingBytes: number): void {
    const bytes = waitingBytes > SMALL_BUFFER_BYTES ? waitingBytes : 0;
    if (bytes === this.#countedBytes) return;
    this.#memory?.change('streams', bytes - this.#countedBytes);
    this.#countedBytes = bytes;
  }

  /** The client resumes when there is memory again. */
  #dropForMemory(): void {
    this.#memory?.refusal('streams');
    this.#drop();
  }

  #drop(): void {
    this.#isOpen = false;
    this.#response.destroy();
  }
}
