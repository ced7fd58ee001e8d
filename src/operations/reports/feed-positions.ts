import { HOUR_MS } from '../../domain/duration.ts';
import {
  formatPositions,
  isShortRelativeTo,
  type PositionBase,
  type Positions,
  parsePositions,
} from '../../domain/reports/cursor.ts';
import type { FeedStore } from '../../ports/feed-store.ts';

export type PositionStore = Pick<
  FeedStore,
  'secret' | 'findPositions' | 'latestPositions' | 'storePositions'
>;

/** Stored positions that were used this recently are not deleted soon. Uses are recorded hourly. */
const RECENT_MS = 2 * HOUR_MS;

/** The position of a reader in all feeds. */
export interface ReadPositions {
  readonly positions: Positions;
  /** The stored positions that the text refers to. Later positions are often close to them. */
  readonly base: PositionBase | undefined;
}

/** `undefined` for a text that this service did not issue, `dropped` if its base was deleted. */
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
 * Chooses a base relative to which these positions are a short text: none if there are few feeds,
 * else one that is stored already, else these positions are stored. If the store has no room for
 * more, the text holds all positions and can be long.
 */
export async function baseFor(
  feeds: PositionStore,
  positions: Positions,
  previousBase: PositionBase | undefined,
  now: Date,
): Promise<PositionBase | undefined> {
  if (isShortRelativeTo(positions, undefined)) return undefined;
  if (previousBase !== undefined && isShortRelativeTo(positions, previousBase)) return previousBase;
  // An older base may be deleted soon, and texts that refer to it would be refused.
  const latest = await feeds.latestPositions(new Date(now.getTime() - RECENT_MS));
  if (latest !== undefined && isShortRelativeTo(positions, latest)) return latest;
  return await feeds.storePositions(positions, now);
}

/** Formats these positions. Returns the text and the base that it refers to. */
export async function writePositions(
  feeds: PositionStore,
  positions: Positions,
  previousBase: PositionBase | undefined,
  now: Date,
): Promise<{ readonly text: string; readonly base: PositionBase | undefined }> {
  const base = await baseFor(feeds, positions, previousBase, now);
  return { text: formatPositions(await feeds.secret(), positions, base), base };
}
