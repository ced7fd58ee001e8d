import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ReportFilter } from './feed-filter.ts';

/**
 * What a caller keeps for us and hands back as it was: a place in a list, a place in every feed, leave to open a
 * stream.
 *
 *   version u8 = 1 | payload in UTF-8 | first 16 bytes of HMAC-SHA256(secret, purpose | version | payload)
 *
 * in base64url. The purpose says what it is good for; it is not in the text, but what was made for one purpose
 * does not open for another.
 */
const VERSION = 1;
const MAC_BYTES = 16;
/** More than a place in thousands of feeds; longer text is not looked at. */
const MAX_LENGTH = 256 * 1024;

export type Purpose = readonly (string | undefined)[];

export function seal(secret: Uint8Array, purpose: Purpose, payload: string): string {
  const body = Buffer.concat([Buffer.of(VERSION), Buffer.from(payload, 'utf8')]);
  return Buffer.concat([body, macOf(secret, purpose, body)]).toString('base64url');
}

/** The payload, where the text is one of ours for that purpose and nothing of it was changed. */
export function unseal(secret: Uint8Array, purpose: Purpose, text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // The decoder passes over what it does not know; a text that was altered so is still an altered one.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return undefined;
  const body = bytes.subarray(0, -MAC_BYTES);
  if (!timingSafeEqual(macOf(secret, purpose, body), bytes.subarray(-MAC_BYTES))) return undefined;
  return body[0] === VERSION ? body.toString('utf8', 1) : undefined;
}

function macOf(secret: Uint8Array, purpose: Purpose, body: Uint8Array): Buffer {
  // As JSON no part of a purpose can pass for two.
  const mac = createHmac('sha256', secret)
    .update(JSON.stringify(purpose))
    .update('\0')
    .update(body);
  return mac.digest().subarray(0, MAC_BYTES);
}

/** Which list it is. How long its pages are does not matter. */
export interface ListView {
  /** One feed, or all. */
  readonly scope: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly filter: ReportFilter;
}

/** `after` is where a page ended, in the words of the store. */
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
    // Whichever is named first, they ask for the same reports.
    tags: tags && [...new Set(tags)].sort(),
  };
  const given = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return ['list', scope, order, JSON.stringify(given)];
}

/** The last number that a reader has of each feed, by slug. */
export type Vector = ReadonlyMap<string, number>;

const POSITIONS: Purpose = ['positions'];

/** Positions that are stored, and what callers are given instead of them. */
export interface PositionBase {
  readonly digest: string;
  readonly positions: Vector;
}

/** Where a reader stands, told by what differs from a base, or from nothing. */
export interface RelativePositions {
  /** The digest of the base. */
  readonly base: string | undefined;
  readonly positions: Vector;
}

/** What positions may differ in, so that they and a page of changes after them fit into a header. Above a hundred feeds. */
const MOST_CHARACTERS = 2000;

/** Whether these need no other base to be handed out as a short text. */
export function isNear(positions: Vector, base: PositionBase | undefined): boolean {
  return writeVector(differencesOf(positions, base)).length <= MOST_CHARACTERS;
}

/** The positions in those feeds in which they are not the same. */
export function differencesOf(
  positions: Vector,
  base: PositionBase | undefined,
): Map<string, number> {
  const known = base?.positions ?? new Map<string, number>();
  const differences = new Map(
    [...positions].filter(([slug, sequence]) => sequence !== (known.get(slug) ?? 0)),
  );
  // A feed that the base has and these do not: before its first.
  for (const slug of known.keys()) if (!positions.has(slug)) differences.set(slug, 0);
  return differences;
}

/** `@digest;` of the base, if there is one, and then `slug:sequence` of each feed that differs. */
export function formatDifferences(
  secret: Uint8Array,
  differences: Vector,
  base: PositionBase | undefined,
): string {
  const prefix = base === undefined ? '' : `@${base.digest};`;
  return seal(secret, POSITIONS, prefix + writeVector(differences));
}

/** A place in every feed at once. A feed in which nothing was read yet is left out. */
export function formatPositions(
  secret: Uint8Array,
  positions: Vector,
  base?: PositionBase | undefined,
): string {
  return formatDifferences(secret, differencesOf(positions, base), base);
}

/** "0" is before everything, as it is in one feed. */
export function parsePositions(secret: Uint8Array, text: string): RelativePositions | undefined {
  const payload = text === '0' ? '' : unseal(secret, POSITIONS, text);
  if (payload === undefined) return undefined;
  const [, base, vector = ''] = /^(?:@([^;]*);)?(.*)$/s.exec(payload) ?? [];
  return { base, positions: readVector(vector) };
}

export function writeVector(positions: Vector): string {
  return [...positions].map(([slug, sequence]) => `${slug}:${sequence.toString(36)}`).join();
}

export function readVector(text: string): Vector {
  const parts = text === '' ? [] : text.split(',');
  return new Map(
    parts.map((part) => {
      const colon = part.indexOf(':');
      return [part.slice(0, colon), Number.parseInt(part.slice(colon + 1), 36)];
    }),
  );
}
