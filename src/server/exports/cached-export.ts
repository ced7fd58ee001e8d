import { Problem } from '../../domain/problem.ts';
import type { OpenExport } from '../../ports/exports.ts';
import type { FeedState } from '../../ports/feed-store.ts';
import type { NumberedVersion } from './export-context.ts';
import type { BuildEvent } from './export-messages.ts';
import { Spool } from './spool.ts';

type Failure = Extract<BuildEvent, { readonly kind: 'failed' }>;

interface ExportHooks {
  versionOf(feeds: readonly FeedState[]): NumberedVersion;
  onGrowth(): void;
  /** Not called for a build that was cancelled. */
  onFailure(failure: Failure): void;
  /** It must not be opened again. */
  onEnd(): void;
  /** Its file is closed: it has no readers any more. */
  onClose(): void;
}

/** Errors of the file system after which a later attempt may succeed. */
const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG'];
const RETRY_SECONDS = 5;

/** An export that is built, or was, and those who read it. */
export class CachedExport {
  readonly #hooks: ExportHooks;
  readonly #spool: Spool;
  readonly #opened = Promise.withResolvers<NumberedVersion>();
  #version: NumberedVersion | undefined;
  #cancel: (() => void) | undefined;
  #isBuilding = true;
  #isEnded = false;
  #readers = 0;
  #temporaryBytes = 0;
  #lastUsedAt = performance.now();

  constructor(fd: number, hooks: ExportHooks) {
    this.#hooks = hooks;
    this.#spool = new Spool(fd, hooks.onClose);
    // One for the build, one for the cache.
    this.#spool.retain();
    this.#spool.retain();
    // Callers of `open` get the error.
    this.#opened.promise.catch(() => undefined);
  }

  startWith(start: (fd: number, onEvent: (event: BuildEvent) => void) => () => void): void {
    this.#cancel = start(this.#spool.fd, (event) => this.#receive(event));
  }

  /** On the disk. */
  get bytes(): number {
    return this.#spool.bytes + this.#temporaryBytes;
  }

  get isIdle(): boolean {
    return this.#readers === 0 && !this.#isBuilding;
  }

  get isGrowing(): boolean {
    return this.#isBuilding;
  }

  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  /** Whether it has that version, or may get it: its snapshot is not open yet. */
  isOf(tag: string): boolean {
    return !this.#isEnded && (this.#version === undefined || this.#version.tag === tag);
  }

  /** Waits for the snapshot. */
  async open(signal: AbortSignal): Promise<OpenExport & NumberedVersion> {
    this.#readers += 1;
    this.#spool.retain();
    const release = this.#releaseOnce();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      const version = await Promise.race([this.#opened.promise, aborted]);
      return {
        ...version,
        bytes: (unsentBytes, range) => this.#spool.pieces(unsentBytes, range),
        size: () => this.#spool.completeBytes,
        close: release,
      };
    } catch (cause) {
      release();
      throw cause;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Nobody will open it any more. Those who read it are not disturbed. */
  supersede(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#hooks.onEnd();
    this.#cancelIfUnread();
    this.#spool.release();
  }

  fail(cause: Error): void {
    this.#opened.reject(cause);
    this.#spool.fail(cause);
    this.#cancel?.();
    this.supersede();
  }

  #releaseOnce(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#readers -= 1;
      this.#lastUsedAt = performance.now();
      this.#cancelIfUnread();
      this.#spool.release();
    };
  }

  #cancelIfUnread(): void {
    if (!this.#isBuilding || this.#readers > 0) return;
    this.#cancel?.();
    this.supersede();
  }

  #receive(event: BuildEvent): void {
    switch (event.kind) {
      case 'opened':
        this.#version = this.#hooks.versionOf(event.feeds);
        this.#opened.resolve(this.#version);
        return;
      case 'written':
        this.#spool.grow(event.bytes);
        this.#hooks.onGrowth();
        return;
      case 'temporary':
        this.#temporaryBytes = event.bytes;
        this.#hooks.onGrowth();
        return;
      case 'done':
        this.#isBuilding = false;
        this.#spool.complete();
        this.#spool.release();
        return;
      case 'failed':
        this.#isBuilding = false;
        this.#fail(event);
        this.#spool.release();
    }
  }

  #fail(failure: Failure): void {
    if (failure.code !== 'ABORT_ERR') this.#hooks.onFailure(failure);
    const cause = new Error(`an export failed: ${failure.message}`);
    const isDisk = DISK_ERRORS.includes(failure.code ?? '');
    const details = { cause, retryAfterSeconds: RETRY_SECONDS };
    this.fail(new Problem(isDisk ? 'disk_full' : 'unavailable', details));
  }
}
