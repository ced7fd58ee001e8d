import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ReportFilter } from './feed-filter.ts';

/**
 * Signed texts that a client stores and sends back unchanged: a position in a list, a position in
 * every feed, a ticket for a stream.
 *
 *   version u8 = 1 | payload in UTF-8 | MAC: 16 bytes of HMAC-SHA256(secret, purpose + all before)
 *
 * in base64url. The purpose is not part of the text, but a text that was sealed for one purpose is
 * not valid for another.
 */
const VERSION = 1;
const MAC_BYTES = 16;
/** More than the positions in thousands of feeds. Longer text is refused. */
const MAX_LENGTH = 256 * 1024;

export type Purpose = readonly (string | undefined)[];

export function seal(secret: Uint8Array, purpose: Purpose, payload: string): string {
  const body = Buffer.concat([Buffer.of(VERSION), Buffer.from(payload, 'utf8')]);
  return Buffer.concat([body, macOf(secret, purpose, body)]).toString('base64url');
}

/** The payload, if this server sealed the text for that purpose. */
export function unseal(secret: Uint8Array, purpose: Purpose, text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // The decoder ignores unknown characters, but a text with such characters was altered.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return undefined;
  const body = bytes.subarray(0, -MAC_BYTES);
  if (!timingSafeEqual(macOf(secret, purpose, body), bytes.subarray(-MAC_BYTES))) return undefined;
  return body[0] === VERSION ? body.toString('utf8', 1) : undefined;
}

function macOf(secret: Uint8Array, purpose: Purpose, body: Uint8Array): Buffer {
  // JSON keeps the parts of a purpose separate.
  const mac = createHmac('sha256', secret)
    .update(JSON.stringify(purpose))
    .update('\0')
    .update(body);
  return mac.digest().subarray(0, MAC_BYTES);
}

/** The list of a cursor. The length of its pages is not part of it. */
export interface ListView {
  /** The slug of one feed; `undefined` for all. */
  readonly scope: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly filter: ReportFilter;
}

/** `after` is the end of a page, as the store returns it. */
export function formatListCursor(secret: Uint8Array, view: ListView, after: string): string {
  return seal(secret, purposeOf(view), after);
}

export function parseListCursor(
  secret: Uint8Array,
  view: ListView,
  text: string,
): string | undefined {
  return unseal(secret, purposeOf(view), text);
}

function purposeOf({ scope, order, filter }: ListView): Purpose {
  const { tags, createdAfter, createdBefore, ...plain } = filter;
  const members = {
    ...plain,
    createdAfter: createdAfter?.toISOString(),
    createdBefore: createdBefore?.toISOString(),
    // The order of tags does not change the list.
    tags: tags && [...new Set(tags)].sort(),
  };
  const sorted = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return ['list', scope, order, JSON.stringify(sorted)];
}

/**
 * The last sequence that a reader has of each feed, by slug; 0 for a feed that is not in the map.
 */
export type Positions = ReadonlyMap<string, number>;

const POSITIONS_PURPOSE: Purpose = ['positions'];

/** Stored positions, and the digest by which a text refers to them. */
export interface PositionBase {
  readonly digest: string;
  readonly positions: Positions;
}

/** The positions of a reader, as differences from a base. */
export interface RelativePositions {
  /** The digest of the base. */
  readonly base: string | undefined;
  readonly positions: Positions;
}

/** Differences of this length fit into a header; that is more than a hundred feeds. */
const MAX_DIFFERENCE_LENGTH = 2000;

/** Whether the positions are a short text relative to that base. */
export function isShortRelativeTo(positions: Positions, base: PositionBase | undefined): boolean {
  return formatSequences(differencesOf(positions, base)).length <= MAX_DIFFERENCE_LENGTH;
}

/** The positions in the feeds in which they differ from the base. */
export function differencesOf(
  positions: Positions,
  base: PositionBase | undefined,
): Map<string, number> {
  const basePositions = base?.positions ?? new Map<string, number>();
  const differences = new Map(
    [...positions].filter(([slug, sequence]) => sequence !== (basePositions.get(slug) ?? 0)),
  );
  // A feed that only the base has: its position is the start.
  for (const slug of basePositions.keys()) if (!positions.has(slug)) differences.set(slug, 0);
  return differences;
}

/** `@digest;` of the base, if there is one, then `slug:sequence` of each feed that differs. */
export function formatDifferences(
  secret: Uint8Array,
  differences: Positions,
  base: PositionBase | undefined,
): string {
  const prefix = base === undefined ? '' : `@${base.digest};`;
  return seal(secret, POSITIONS_PURPOSE, prefix + formatSequences(differences));
}

/** The positions in all feeds. A feed at its start is left out. */
export function formatPositions(
  secret: Uint8Array,
  positions: Positions,
  base?: PositionBase | undefined,
): string {
  return formatDifferences(secret, differencesOf(positions, base), base);
}

/** "0" is the start of all feeds, as in one feed. */
export function parsePositions(secret: Uint8Array, text: string): RelativePositions | undefined {
  const payload = text === '0' ? '' : unseal(secret, POSITIONS_PURPOSE, text);
  if (payload === undefined) return undefined;
  const [, base, sequences = ''] = /^(?:@([^;]*);)?(.*)$/s.exec(payload) ?? [];
  return { base, positions: parseSequences(sequences) };
}

export function formatSequences(positions: Positions): string {
  return [...positions].map(([slug, sequence]) => `${slug}:${sequence.toString(36)}`).join();
}

export function parseSequences(text: string): Positions {
  const parts = text === '' ? [] : text.split(',');
  return new Map(
    parts.map((part) => {
      const colon = part.indexOf(':');
      return [part.slice(0, colon), Number.parseInt(part.slice(colon + 1), 36)];
    }),
  );
}
