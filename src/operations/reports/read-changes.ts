import { Problem } from '../../domain/problem.ts';
import type { Change } from '../../domain/reports/change.ts';
import type { PositionBase } from '../../domain/reports/cursor.ts';
import type { ChangesQuery, ChangesRefusal, FeedStore, Positions } from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { asOnePart, inParts, WHOLE_PAGE } from '../in-parts.ts';
import { readPositions, writePositions } from './feed-positions.ts';

interface Page {
  /** The changes of the page, each with the report as it stands when its part is read. */
  readonly parts: AsyncIterable<readonly Change[]>;
  readonly hasMore: boolean;
}

export interface ChangesOfFeed extends Page {
  readonly next: number;
  readonly head: number;
}

export interface ChangesOfAll extends Page {
  readonly next: string;
  readonly head: string;
}

/** What follows a number of a feed. `head`: its last one, after which there is nothing yet. */
export async function readChanges(
  { store: { feeds } }: Dependencies,
  service: string,
  since: number | 'head',
  limit: number,
): Promise<ChangesOfFeed> {
  if (since === 'head') {
    const head = (await feeds.heads(service)).get(service) ?? 0;
    return { parts: asOnePart([]), next: head, head, hasMore: false };
  }
  const page = await readPage(feeds, {
    scope: service,
    since: new Map([[service, since]]),
    limit,
  });
  const { parts, hasMore, next, heads } = page;
  return { parts, hasMore, next: next.get(service) ?? since, head: heads.get(service) ?? since };
}

/** The same over all feeds, where a place is one in each of them. `undefined`: before everything. */
export async function readAllChanges(
  { store: { feeds }, now }: Dependencies,
  since: string | undefined,
  limit: number,
): Promise<ChangesOfAll> {
  const write = (positions: Positions, known?: PositionBase | undefined) =>
    writePositions(feeds, positions, known, now());
  if (since === 'head') {
    const { text: head } = await write(await feeds.heads(undefined));
    return { parts: asOnePart([]), next: head, head, hasMore: false };
  }
  const from = await readPositions(feeds, since ?? '0', now());
  if (from === undefined) throw new Problem('invalid_cursor');
  if (from === 'dropped') throw new Problem('changes_dropped');
  const page = await readPage(feeds, { scope: undefined, since: from.positions, limit });
  const next = await write(page.next, from.base);
  const head = page.hasMore ? await write(page.heads, next.base) : next;
  return { parts: page.parts, hasMore: page.hasMore, next: next.text, head: head.text };
}

interface PageOfFeeds extends Page {
  readonly next: Positions;
  readonly heads: Positions;
}

/** All steps of a long page are known before any of its reports is read: none of them can get lost in between. */
async function readPage(feeds: FeedStore, query: ChangesQuery): Promise<PageOfFeeds> {
  if (query.limit <= WHOLE_PAGE) {
    const { changes, ...page } = readable(await feeds.changes(query));
    return { ...page, parts: asOnePart(changes) };
  }
  const { changes, ...page } = readable(await feeds.changeRecords(query));
  return { ...page, parts: inParts(changes, (part) => feeds.withReports(part)) };
}

function readable<Page extends object>(outcome: Page | ChangesRefusal): Page {
  if (outcome === 'too-old') throw new Problem('changes_dropped');
  if (outcome === 'ahead') throw new Problem('since_ahead');
  if (outcome === 'unknown-service') throw new Problem('unknown_service');
  return outcome;
}
