import { Problem } from '../../domain/problem.ts';
import type { Log } from '../../observability/log.ts';
import type {
  ExportReader,
  ExportRequest,
  Exports,
  ExportVersion,
  OpenExport,
} from '../../ports/exports.ts';
import type { FeedStore } from '../../ports/feed-store.ts';
import { CachedExport } from './cached-export.ts';
import type { ExportBuilder } from './export-builder.ts';
import { type NumberedVersion, requestKey, versionOf } from './export-context.ts';
import type { ExportSettings } from './export-messages.ts';
import { openSpoolFile } from './spool-file.ts';

const SWEEP_MS = 30_000;
const UNUSED_MS = 600_000;
const RETRY_SECONDS = 5;

export interface CacheOptions {
  readonly feeds: Pick<FeedStore, 'states'>;
  readonly builder: Pick<ExportBuilder, 'isFull' | 'start' | 'close'>;
  readonly folder: string;
  readonly maxBytes: number;
  readonly log: Pick<Log, 'error'>;
  settings(): Promise<ExportSettings>;
}

interface NewBuild {
  readonly settings: ExportSettings;
  readonly accountId: string;
}

/** Keeps the newest version of each export until it was not used for a while. */
export class ExportCache implements Exports {
  readonly #options: CacheOptions;
  /** In the order of their last use. */
  readonly #newest = new Map<string, CachedExport>();
  /** Includes earlier versions that are still read: they use space. */
  readonly #all = new Set<CachedExport>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  version(request: ExportRequest): Promise<ExportVersion> {
    return this.#versionOf(request);
  }

  async open(request: ExportRequest, reader: ExportReader): Promise<OpenExport> {
    const { signal, accountId } = reader;
    const { tag, serial } = await this.#versionOf(request);
    for (;;) {
      const settings = await this.#options.settings();
      signal.throwIfAborted();
      const opened = await this.#newestOf(request, tag, { settings, accountId }).open(signal);
      // A snapshot that was just being opened may lack changes that this caller has seen.
      if (opened.tag === tag || opened.serial >= serial) return opened;
      opened.close();
    }
  }

  async #versionOf(request: ExportRequest): Promise<NumberedVersion> {
    const { feeds, settings } = this.#options;
    const both = [feeds.states(request.scope), settings()] as const;
    const [states, current] = await Promise.all(both);
    return versionOf(request, states, current);
  }

  #newestOf(request: ExportRequest, tag: string, options: NewBuild): CachedExport {
    const key = requestKey(request);
    const current = this.#newest.get(key);
    const found = current?.isOf(tag) === true ? current : this.#build(request, options);
    if (current !== found) current?.supersede();
    // Moved to the end.
    this.#newest.delete(key);
    this.#newest.set(key, found);
    return found;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#options.builder.close();
    for (const found of this.#newest.values()) found.supersede();
  }

  #build(request: ExportRequest, { settings, accountId }: NewBuild): CachedExport {
    const { builder, folder, log } = this.#options;
    if (builder.isFull) throw new Problem('exports_busy', { retryAfterSeconds: RETRY_SECONDS });
    const created = new CachedExport(openFile(folder, log), {
      versionOf: (feeds) => versionOf(request, feeds, settings),
      onGrowth: () => this.#makeRoom(),
      onFailure: ({ message, code }) =>
        log.error({ err: { message, code }, format: request.format }, 'an export failed'),
      onEnd: () => this.#forget(created),
      onClose: () => this.#remove(created),
    });
    this.#all.add(created);
    created.startWith((fd, onEvent) =>
      builder.start({ request, settings, fd }, accountId, onEvent),
    );
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return created;
  }

  #forget(ended: CachedExport): void {
    for (const [key, found] of this.#newest) if (found === ended) this.#newest.delete(key);
  }

  #remove(closed: CachedExport): void {
    this.#all.delete(closed);
    if (this.#all.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  /** Removes the exports that were not used for the longest time; fails the largest if all are. */
  #makeRoom(): void {
    let bytes = 0;
    for (const found of this.#all) bytes += found.bytes;
    if (bytes <= this.#options.maxBytes) return;
    for (const found of [...this.#newest.values()]) {
      if (bytes <= this.#options.maxBytes) return;
      if (!found.isIdle) continue;
      bytes -= found.bytes;
      found.supersede();
    }
    if (bytes <= this.#options.maxBytes) return;
    const growing = [...this.#all].filter(({ isGrowing }) => isGrowing);
    const [largest] = growing.sort((one, other) => other.bytes - one.bytes);
    largest?.fail(new Problem('exports_full', { retryAfterSeconds: RETRY_SECONDS }));
  }

  #sweep(): void {
    const before = performance.now() - UNUSED_MS;
    for (const found of [...this.#newest.values()])
      if (found.isIdle && found.lastUsedAt < before) found.supersede();
  }
}

function openFile(folder: string, log: CacheOptions['log']): number {
  try {
    return openSpoolFile(folder);
  } catch (err) {
    log.error({ err, folder }, 'the file of an export cannot be created');
    throw new Problem('disk_full', { cause: err, retryAfterSeconds: RETRY_SECONDS });
  }
}
