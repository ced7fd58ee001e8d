import {
  formatPositions,
  isNear,
  type PositionBase,
  parsePositions,
  type Vector,
} from '../../domain/reports/cursor.ts';
import type { FeedStore, Positions } from '../../ports/feed-store.ts';

export type PositionStore = Pick<
  FeedStore,
  'secret' | 'findPositions' | 'latestPositions' | 'storePositions'
>;

/** Positions used since then are kept for long enough. Uses are noted once an hour. */
const RECENT_MS = 2 * 3_600_000;

/** Where a caller says that it stands in all feeds. */
export interface ReadPositions {
  readonly positions: Vector;
  /** What they were told by, which is near to those that follow. */
  readonly base: PositionBase | undefined;
}

/** `undefined` for a text that is none of ours, `dropped` where what it refers to is no longer kept. */
export async function readPositions(
  feeds: PositionStore,
  text: string,
  now: Date,
): Promise<ReadPositions | 'dropped' | undefined> {
  const read = parsePositions(await feeds.secret(), text);
  if (read?.base === undefined) return read && { positions: read.positions, base: undefined };
  const base = await feeds.findPositions(read.base, now);
  if (base === undefined) return 'dropped';
  return { positions: new Map([...base.positions, ...read.positions]), base };
}

/**
 * A base by which these positions are a short text: none where there are few feeds, else one that is stored already, else
 * they are stored themselves. Where there is no room for more, the text has all of them, however long it gets.
 */
export async function baseFor(
  feeds: PositionStore,
  positions: Positions,
  known: PositionBase | undefined,
  now: Date,
): Promise<PositionBase | undefined> {
  if (isNear(positions, undefined)) return undefined;
  if (known !== undefined && isNear(positions, known)) return known;
  // Older ones may be forgotten soon, and what refers to them would be refused.
  const latest = await feeds.latestPositions(new Date(now.getTime() - RECENT_MS));
  if (latest !== undefined && isNear(positions, latest)) return latest;
  return await feeds.storePositions(positions, now);
}

/** The text of these positions, and the base that it refers to. */
export async function writePositions(
  feeds: PositionStore,
  positions: Positions,
  known: PositionBase | undefined,
  now: Date,
): Promise<{ readonly text: string; readonly base: PositionBase | undefined }> {
  const base = await baseFor(feeds, positions, known, now);
  return { text: formatPositions(await feeds.secret(), positions, base), base };
}
