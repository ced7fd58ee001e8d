import { Problem } from '../../domain/problem.ts';
import type { FeedChange } from '../../domain/reports/change.ts';
import type { PositionBase, Positions } from '../../domain/reports/cursor.ts';
import type {
  ChangeRecord,
  ChangesQuery,
  ChangesRefusal,
  FeedStore,
  Present,
} from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readPositions, writePositions } from './feed-positions.ts';
import { MAX_SINGLE_READ, readInParts, singlePart } from './page-parts.ts';

interface Page<Content> {
  /** The changes of the page, each with the report as of the moment when its part is read. */
  readonly parts: AsyncGenerator<Content, void>;
  readonly hasMore: boolean;
}

export interface ChangesOfFeed<Content> extends Page<Content> {
  readonly next: number;
  readonly head: number;
}

export interface ChangesOfAll<Content> extends Page<Content> {
  readonly next: string;
  readonly head: string;
}

/** Returns the changes of a feed after a sequence. `head` is its latest sequence. */
export async function readChanges<Content>(
  { store: { feeds } }: Dependencies,
  service: string,
  { since, limit }: { readonly since: number | 'head'; readonly limit: number },
  present: Present<FeedChange, Content>,
): Promise<ChangesOfFeed<Content>> {
  if (since === 'head') {
    const head = (await feeds.heads(service)).get(service) ?? 0;
    return { parts: singlePart(present([])), next: head, head, hasMore: false };
  }
  const query = { scope: service, since: new Map([[service, since]]), limit };
  const page = await readPage(feeds, query, present);
  const { parts, hasMore, next, heads } = page;
  return { parts, hasMore, next: next.get(service) ?? since, head: heads.get(service) ?? since };
}

/**
 * As `readChanges` over all feeds: `since` holds a position in each. `undefined`: from the start.
 */
export async function readAllChanges<Content>(
  deps: Dependencies,
  { since, limit }: { readonly since: string | undefined; readonly limit: number },
  present: Present<FeedChange, Content>,
): Promise<ChangesOfAll<Content>> {
  const { feeds } = deps.store;
  const now = deps.now();
  const write = (positions: Positions, known?: PositionBase | undefined) =>
    writePositions(feeds, positions, known, now);
  if (since === 'head') {
    const head = await currentPosition(deps);
    return { parts: singlePart(present([])), next: head, head, hasMore: false };
  }
  const from = await readPositions(feeds, since ?? '0', now);
  if (from === undefined) throw new Problem('invalid_cursor');
  if (from === 'dropped') throw new Problem('changes_dropped');
  const query = { scope: undefined, since: from.positions, limit };
  const page = await readPage(feeds, query, present);
  const next = await write(page.next, from.base);
  const head = page.hasMore ? await write(page.heads, next.base) : next;
  return { parts: page.parts, hasMore: page.hasMore, next: next.text, head: head.text };
}

/** The position after the last change of all feeds. */
export async function currentPosition({ store: { feeds }, now }: Dependencies): Promise<string> {
  return (await writePositions(feeds, await feeds.heads(undefined), undefined, now())).text;
}

interface PageOfFeeds<Content> extends Page<Content> {
  readonly next: Positions;
  readonly heads: Positions;
}

/** The changes of a long page are fixed before its reports are read, so that none can get lost. */
async function readPage<Content>(
  feeds: FeedStore,
  query: ChangesQuery,
  present: Present<FeedChange, Content>,
): Promise<PageOfFeeds<Content>> {
  if (query.limit <= MAX_SINGLE_READ) {
    const { changes, ...page } = unlessRefused(await feeds.changes(query, present));
    return { ...page, parts: singlePart(changes) };
  }
  const { changes, ...page } = unlessRefused(await feeds.changeRecords(query));
  const read = async (part: readonly ChangeRecord[]) => present(await feeds.withReports(part));
  return { ...page, parts: readInParts(changes, read) };
}

function unlessRefused<Page extends object>(outcome: Page | ChangesRefusal): Page {
  if (outcome === 'too-old') throw new Problem('changes_dropped');
  if (outcome === 'ahead') throw new Problem('since_ahead');
  if (outcome === 'unknown-service') throw new Problem('unknown_service');
  return outcome;
}
