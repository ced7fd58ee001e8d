import type { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import type { FeedEvent } from '../../client/follow.ts';
import { isRetryable } from '../../client/retry.ts';
import type { ExtendedReport } from '../../client/wire.ts';
import { visible } from '../output/show.ts';
import { ALL_FEEDS, type FeedChange } from './feed-table.ts';
import type { FollowState } from './follow-state.ts';

/**
 * A printed line: a change; or a reset, which voids all lines before, with the reports listed after
 * it.
 */
export type FollowedLine =
  | FeedChange
  | { readonly type: 'reset' }
  | (Omit<FeedChange, 'type'> & { readonly type: 'listed'; readonly report: ExtendedReport });

export interface FollowerOptions {
  readonly client: Pick<
    RapsheetClient,
    'followFeed' | 'feedChanges' | 'allChanges' | 'listReports'
  >;
  readonly feed: string;
  readonly state: FollowState;
  readonly signal: AbortSignal;
  /** Resolves when the lines are written: only then is the position after them saved. */
  write(lines: readonly FollowedLine[]): Promise<void>;
  printMessage(message: string): void;
  /** Resolves early when the signal is aborted. */
  sleep(ms: number): Promise<void>;
}

const POLL_MS = 5000;
const MAX_DELAY_MS = 60_000;
const PAGE = 1000;

/** The server no longer has the changes after the position. */
const POSITION_LOST_CODES = ['changes_dropped', 'since_ahead', 'invalid_cursor'];

/**
 * Follows a feed until the signal is aborted. While the stream cannot be opened, the follower polls
 * for changes and retries the stream after each poll. The first connection must succeed; later
 * failures are retried.
 */
export class Follower {
  readonly #options: FollowerOptions;
  #position = '0';
  #hasConnected = false;
  #failures = 0;
  #isPolling = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  async run(from: 'start' | 'now'): Promise<void> {
    const { state, signal } = this.#options;
    this.#position = state.position ?? (await this.#firstPosition(from));
    while (!signal.aborted) {
      try {
        await this.#readStream();
      } catch (cause) {
        if (signal.aborted) return;
        if (!(cause instanceof RapsheetError)) throw cause;
        await this.#poll(cause);
      }
    }
  }

  /** Saved at once, so that no change is missed if the command ends before the first one. */
  async #firstPosition(from: 'start' | 'now'): Promise<string> {
    const position = from === 'start' ? '0' : await this.#head();
    this.#options.state.save(position);
    return position;
  }

  async #readStream(): Promise<void> {
    const { client, feed, signal } = this.#options;
    for await (const event of client.followFeed(feed, { lastEventId: this.#position, signal })) {
      this.#isPolling = false;
      this.#resetFailures();
      await this.#handle(event);
    }
  }

  async #handle(event: FeedEvent): Promise<void> {
    if (event.kind === 'reset') return this.#resync(event.id);
    await this.#writeUpTo([event.change], event.id);
  }

  /**
   * Polls after any failure of the stream: a permanent one, such as a bad token, fails the poll
   * too.
   */
  async #poll(cause: RapsheetError): Promise<void> {
    try {
      await this.#readChanges();
      this.#resetFailures();
      if (!this.#isPolling)
        this.#options.printMessage(
          `The stream cannot be opened, so the command polls for changes: ${visible(cause.message)}`,
        );
      this.#isPolling = true;
    } catch (failure) {
      if (!this.#hasConnected || !isTransient(failure)) throw failure;
      this.#failures += 1;
    }
    await this.#options.sleep(Math.min(MAX_DELAY_MS, POLL_MS * 2 ** this.#failures));
  }

  async #readChanges(): Promise<void> {
    try {
      for (let hasMore = true; hasMore && !this.#options.signal.aborted; ) {
        const page = await this.#changesAfter(this.#position, PAGE);
        await this.#writeUpTo(page.changes, String(page.next));
        hasMore = page.hasMore;
      }
    } catch (cause) {
      if (!(cause instanceof RapsheetError && POSITION_LOST_CODES.includes(cause.code)))
        throw cause;
      await this.#resync(await this.#head());
    }
  }

  /**
   * Prints all listed reports in place of the lost changes. The list is read after `position`, so
   * no change is missed, but some may be printed twice. An interrupted list starts again.
   */
  async #resync(position: string): Promise<void> {
    const { client, feed, signal, write, printMessage } = this.#options;
    printMessage(
      'The server no longer has the changes since then: all listed reports follow instead.',
    );
    await write([{ type: 'reset' }]);
    let cursor: string | undefined;
    do {
      const page = await client.listReports(feed, { order: 'asc', limit: PAGE, cursor });
      await write(page.reports.map((report) => toListed(report, feed)));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && !signal.aborted);
    if (!signal.aborted) await this.#writeUpTo([], position);
  }

  async #writeUpTo(lines: readonly FollowedLine[], position: string): Promise<void> {
    if (lines.length > 0) await this.#options.write(lines);
    this.#position = position;
    this.#options.state.save(position);
  }

  async #head(): Promise<string> {
    const { next } = await this.#changesAfter('head', 1);
    this.#hasConnected = true;
    return String(next);
  }

  #changesAfter(since: string, limit: number) {
    const { client, feed } = this.#options;
    const range = { since, limit };
    return feed === ALL_FEEDS ? client.allChanges(range) : client.feedChanges(feed, range);
  }

  #resetFailures(): void {
    this.#hasConnected = true;
    this.#failures = 0;
  }
}

function toListed(report: ExtendedReport, feed: string): FollowedLine {
  const { service, sequence, id } = report;
  return { ...(feed === ALL_FEEDS && { service }), sequence, type: 'listed', id, report };
}

/** The server restarts or is overloaded. */
function isTransient(cause: unknown): boolean {
  return (
    cause instanceof RapsheetError && (isRetryable(cause, 'always') || (cause.status ?? 0) >= 500)
  );
}
