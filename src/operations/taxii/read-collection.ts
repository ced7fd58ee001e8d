import { Problem } from '../../domain/problem.ts';
import {
  type CollectionPosition,
  formatCursor,
  parseCursor,
} from '../../domain/taxii/collection.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  type GroupsRequest,
  type ObjectGroup,
  type ObjectSource,
  readGroups,
} from './collection-groups.ts';
import type { Collection } from './find-collection.ts';
import { type FoundObject, groupsOfObjects } from './find-objects.ts';

export interface CollectionRequest<Item> {
  readonly collection: Collection;
  /** Milliseconds; only objects that were added later. */
  readonly addedAfter: number | undefined;
  /** `next` of an earlier page, which then decides where to start. */
  readonly cursor: string | undefined;
  readonly limit: number;
  /** Whether an object is in the answer. */
  readonly accepts: (item: Item, at: number) => boolean;
  /** Only these objects. Others are not read. */
  readonly objects?: readonly FoundObject<Item>[] | undefined;
  /** Whether no object of a report can be in the answer. */
  readonly isWithoutReports: boolean;
}

export interface AddedItem<Item> {
  /** Milliseconds. */
  readonly at: number;
  readonly item: Item;
}

export interface CollectionPage<Item> {
  readonly items: readonly AddedItem<Item>[];
  /** The cursor of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
  /** The time after which a reader continues if the page has no objects. */
  readonly readUntil: number | undefined;
  /** Whether the next page has further objects of the last time. */
  readonly isSplit: boolean;
}

/**
 * A page of the objects of a collection, in the order in which they were added. A page that starts
 * at a time has all objects that were added together, unless they are more than its limit: a reader
 * that continues by time must not miss some of them. One that starts at a cursor is full.
 */
export async function readCollection<Item>(
  deps: Pick<Dependencies, 'store' | 'now'>,
  request: CollectionRequest<Item>,
  source: ObjectSource<Item>,
): Promise<CollectionPage<Item>> {
  const { collection, limit, isWithoutReports, objects } = request;
  const secret = await deps.store.feeds.secret();
  const { start, isContinued } = startOf(request, secret);
  const after = start?.within === undefined ? start?.at : start.at - 1;
  const range: GroupsRequest = { collection, after, limit, isWithoutReports };
  const groups =
    objects === undefined ? readGroups(deps, range, source) : groupsOfObjects(objects, after);
  const page = await fillPage(groups, start, { ...request, splits: isContinued });
  return {
    items: page.items,
    next:
      page.next === undefined
        ? undefined
        : formatCursor(secret, { alias: collection.alias, position: page.next }),
    readUntil: page.readUntil ?? start?.at,
    isSplit: page.next?.within !== undefined,
  };
}

interface CollectionStart {
  readonly start: CollectionPosition | undefined;
  /** Whether it is that of a cursor. */
  readonly isContinued: boolean;
}

/**
 * A cursor of another collection is ignored: a widespread reader sends its last one to the next
 * collection.
 */
function startOf(
  {
    collection,
    cursor,
    addedAfter,
  }: Pick<CollectionRequest<unknown>, 'collection' | 'cursor' | 'addedAfter'>,
  secret: Uint8Array,
): CollectionStart {
  const found = cursor === undefined ? undefined : parseCursor(secret, cursor);
  if (cursor !== undefined && found === undefined) throw new Problem('invalid_cursor');
  if (found?.alias === collection.alias) return { start: found.position, isContinued: true };
  return { start: addedAfter === undefined ? undefined : { at: addedAfter }, isContinued: false };
}

interface FilledPage<Item> {
  readonly items: readonly AddedItem<Item>[];
  readonly next: CollectionPosition | undefined;
  /** The last time of which all objects were read. */
  readonly readUntil: number | undefined;
}

/** The limit on groups that are read for one page if most of their objects are filtered out. */
const MAX_GROUPS = 2000;

interface PageOptions<Item> extends Pick<CollectionRequest<Item>, 'limit' | 'accepts'> {
  /** Whether objects that were added together may be on two pages although they fit on one. */
  readonly splits: boolean;
}

async function fillPage<Item>(
  groups: AsyncIterable<ObjectGroup<Item>>,
  start: CollectionPosition | undefined,
  { limit, accepts, splits }: PageOptions<Item>,
): Promise<FilledPage<Item>> {
  const items: AddedItem<Item>[] = [];
  let readUntil: number | undefined;
  let count = 0;
  for await (const group of groups) {
    const candidates = candidatesOf(group, start).filter(({ item }) => accepts(item, group.at));
    const room = limit - items.length;
    if (candidates.length > room && items.length > 0 && (room === 0 || !splits))
      return { items, next: { at: readUntil ?? group.at - 1 }, readUntil };
    items.push(...candidates.slice(0, room).map(({ item }) => ({ at: group.at, item })));
    const first = candidates[room];
    if (first !== undefined) return { items, next: { at: group.at, within: first }, readUntil };
    readUntil = group.at;
    count += 1;
    if (count >= MAX_GROUPS && items.length < limit)
      return { items, next: { at: readUntil }, readUntil };
  }
  return { items, next: undefined, readUntil };
}

interface Candidate<Item> {
  readonly feed: string;
  /** Among all objects of its unit, so that it does not depend on filters. */
  readonly index: number;
  readonly item: Item;
}

/** The objects of a group after the position. */
function candidatesOf<Item>(
  { at, units }: ObjectGroup<Item>,
  start: CollectionPosition | undefined,
): readonly Candidate<Item>[] {
  const all = units.flatMap(({ feed, items, firstIndex = 0 }) =>
    items.map((item, index) => ({ feed, index: firstIndex + index, item })),
  );
  const within = start?.at === at ? start.within : undefined;
  if (within === undefined) return all;
  return all.filter(
    ({ feed, index }) => feed > within.feed || (feed === within.feed && index >= within.index),
  );
}
