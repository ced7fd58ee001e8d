import type { RapsheetClient } from '../../client/client.ts';
import { RapsheetError } from '../../client/error.ts';
import type { FeedEvent } from '../../client/follow.ts';
import { isRetryable } from '../../client/retry.ts';
import type { ExtendedReport } from '../../client/wire.ts';
import { visible } from '../output/show.ts';
import { ALL_FEEDS, type ChangeOfSome } from './feed-table.ts';
import type { FollowState } from './follow-state.ts';

/** What a follower writes out: a change; or that everything before is void, and what there is instead. */
export type FollowedLine =
  | ChangeOfSome
  | { readonly type: 'reset' }
  | (Omit<ChangeOfSome, 'type'> & { readonly type: 'listed'; readonly report: ExtendedReport });

export interface FollowParts {
  readonly client: Pick<
    RapsheetClient,
    'followFeed' | 'feedChanges' | 'allChanges' | 'listReports'
  >;
  readonly feed: string;
  readonly state: FollowState;
  readonly signal: AbortSignal;
  /** Resolves when they are out: only then is the place after them kept. */
  write(lines: readonly FollowedLine[]): Promise<void>;
  tell(message: string): void;
  /** Resolves early when it is stopped. */
  sleep(ms: number): Promise<void>;
}

const POLL_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
const PAGE = 1000;

/** The server knows no way from that place to now. */
const LOST_CODES = ['changes_dropped', 'since_ahead', 'invalid_cursor'];

/**
 * Follows a feed until it is stopped. The stream is the way; where it cannot be opened, changes are asked for instead, and
 * the stream is tried again each time. The server must be there at first; later it is waited for.
 */
export class Follower {
  readonly #parts: FollowParts;
  #position = '0';
  #hasReached = false;
  #failures = 0;
  #isPolling = false;

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  async run(from: 'start' | 'now'): Promise<void> {
    const { state, signal } = this.#parts;
    this.#position = state.position ?? (await this.#firstPosition(from));
    while (!signal.aborted) {
      try {
        await this.#readStream();
      } catch (cause) {
        if (signal.aborted) return;
        if (!(cause instanceof RapsheetError)) throw cause;
        await this.#pollInstead(cause);
      }
    }
  }

  /** Kept at once: whoever is stopped before the first change comes misses none either. */
  async #firstPosition(from: 'start' | 'now'): Promise<string> {
    const position = from === 'start' ? '0' : await this.#head();
    this.#parts.state.keep(position);
    return position;
  }

  async #readStream(): Promise<void> {
    const { client, feed, signal } = this.#parts;
    for await (const event of client.followFeed(feed, { lastEventId: this.#position, signal })) {
      this.#isPolling = false;
      this.#noteAnswer();
      await this.#take(event);
    }
  }

  async #take(event: FeedEvent): Promise<void> {
    if (event.kind === 'reset') return this.#beginAnew(event.id);
    await this.#writeUpTo([event.change], event.id);
  }

  /** Whatever keeps the stream from being opened: what mends it not will keep this from being answered too. */
  async #pollInstead(cause: RapsheetError): Promise<void> {
    try {
      await this.#readChanges();
      this.#noteAnswer();
      if (!this.#isPolling)
        this.#parts.tell(
          `The stream cannot be opened, so changes are asked for now and then: ${visible(cause.message)}`,
        );
      this.#isPolling = true;
    } catch (failure) {
      if (!this.#hasReached || !isPassing(failure)) throw failure;
      this.#failures += 1;
    }
    await this.#parts.sleep(Math.min(LONGEST_PAUSE_MS, POLL_MS * 2 ** this.#failures));
  }

  async #readChanges(): Promise<void> {
    try {
      for (let hasMore = true; hasMore && !this.#parts.signal.aborted; ) {
        const page = await this.#changesAfter(this.#position, PAGE);
        await this.#writeUpTo(page.changes, String(page.next));
        hasMore = page.hasMore;
      }
    } catch (cause) {
      if (!(cause instanceof RapsheetError && LOST_CODES.includes(cause.code))) throw cause;
      await this.#beginAnew(await this.#head());
    }
  }

  /**
   * All that is listed instead of the changes that are not known. It is listed after the place at which changes go on, so
   * that none can be missed; those of them that the list tells of already come again. Stopped midway, it begins anew.
   */
  async #beginAnew(position: string): Promise<void> {
    const { client, feed, signal, write, tell } = this.#parts;
    tell('The changes since then are not known any more: all that is listed follows instead.');
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
    if (lines.length > 0) await this.#parts.write(lines);
    this.#position = position;
    this.#parts.state.keep(position);
  }

  async #head(): Promise<string> {
    const { next } = await this.#changesAfter('head', 1);
    this.#hasReached = true;
    return String(next);
  }

  #changesAfter(since: string, limit: number) {
    const { client, feed } = this.#parts;
    const asked = { since, limit };
    return feed === ALL_FEEDS ? client.allChanges(asked) : client.feedChanges(feed, asked);
  }

  #noteAnswer(): void {
    this.#hasReached = true;
    this.#failures = 0;
  }
}

function toListed(report: ExtendedReport, feed: string): FollowedLine {
  const { service, sequence, id } = report;
  return { ...(feed === ALL_FEEDS && { service }), sequence, type: 'listed', id, report };
}

/** A server that is restarted, or has no more room at the moment. */
function isPassing(cause: unknown): boolean {
  return (
    cause instanceof RapsheetError && (isRetryable(cause, 'always') || (cause.status ?? 0) >= 500)
  );
}
