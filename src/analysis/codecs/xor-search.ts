import type { Findings, TagMeaning } from '../formats/format.ts';
import { leadingUrl } from '../indicators/encoded.ts';
import { isBenignHost, isLikelyHost } from '../indicators/hosts.ts';
import { isUnroutable, MAX_VALUE_LENGTH, parseQuad } from '../indicators/url.ts';
import type { Subject } from '../subject.ts';

/** A needle found after XORing the bytes with a key. */
export interface XorHit {
  readonly needle: string;
  readonly offset: number;
  /** 0 if the needle occurs unencoded. */
  readonly key: number;
}

export interface XorSearchOptions {
  /** Whether unencoded needles are reported too; or which of them. */
  readonly plain?: boolean | readonly string[];
  readonly maxHits?: number;
  /** Per needle, so that a file full of one needle does not hide the others. */
  readonly maxHitsEach?: number;
}

/** Shorter needles occur by chance under some key. */
const MIN_NEEDLE_LENGTH = 4;
const DEFAULT_MAX_HITS = 1000;

interface Needle {
  readonly text: string;
  readonly bytes: Buffer;
  readonly reportsPlain: boolean;
  hitsLeft: number;
}

/**
 * Finds needles under every single-byte XOR key in one pass. The XOR of neighbouring bytes does not
 * depend on the key:
 *
 *   (a ^ key) ^ (b ^ key) = a ^ b
 *
 * A table is indexed by two such differences in a row; candidates are compared in full.
 */
export function searchXored(
  bytes: Buffer,
  needles: readonly string[],
  { plain = false, maxHits = DEFAULT_MAX_HITS, maxHitsEach = maxHits }: XorSearchOptions = {},
): XorHit[] {
  const { starts, groups } = tableOf(
    needles.map((text) => ({
      text,
      bytes: bytesOf(text),
      reportsPlain: typeof plain === 'boolean' ? plain : plain.includes(text),
      hitsLeft: maxHitsEach,
    })),
  );
  const hits: XorHit[] = [];
  let at = nextStart(bytes, 0, starts);
  while (at !== -1 && hits.length < maxHits) {
    for (const needle of groups[starts[startAt(bytes, at)] as number] ?? []) {
      if (needle.hitsLeft === 0) continue;
      const key = keyAt(bytes, at, needle.bytes);
      if (key === undefined || (key === 0 && !needle.reportsPlain)) continue;
      needle.hitsLeft -= 1;
      hits.push({ needle: needle.text, offset: at, key });
    }
    at = nextStart(bytes, at + 1, starts);
  }
  return hits;
}

function bytesOf(text: string): Buffer {
  if (text.length < MIN_NEEDLE_LENGTH) throw new RangeError(`the needle ${text} is too short`);
  return Buffer.from(text, 'latin1');
}

/** Maps the first two differences to an index of needle groups, 0 for none. */
function tableOf(needles: readonly Needle[]): { starts: Uint8Array; groups: Needle[][] } {
  const starts = new Uint8Array(0x10000);
  const groups: Needle[][] = [[]];
  for (const needle of needles) {
    const start = startAt(needle.bytes, 0);
    if (starts[start] === 0) starts[start] = groups.push([]) - 1;
    groups[starts[start] as number]?.push(needle);
  }
  return { starts, groups };
}

function startAt(bytes: Buffer, at: number): number {
  const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  return ((first ^ second) << 8) | (second ^ third);
}

/** The hot loop. */
function nextStart(bytes: Buffer, from: number, starts: Uint8Array): number {
  const last = bytes.length - 2;
  if (from >= last) return -1;
  let middle = bytes[from + 1] as number;
  let difference = (bytes[from] as number) ^ middle;
  for (let at = from; at < last; at += 1) {
    const next = bytes[at + 2] as number;
    const following = middle ^ next;
    if (starts[(difference << 8) | following] !== 0) return at;
    difference = following;
    middle = next;
  }
  return -1;
}

function keyAt(bytes: Buffer, start: number, needle: Buffer): number | undefined {
  if (start + needle.length > bytes.length) return undefined;
  const key = (bytes[start] as number) ^ (needle[0] as number);
  for (let index = 1; index < needle.length; index += 1) {
    if (((bytes[start + index] as number) ^ (needle[index] as number)) !== key) return undefined;
  }
  return key;
}

/** Decodes the bytes with the key. */
export function unXor(bytes: Buffer, key: number): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) plain[at] = (bytes[at] as number) ^ key;
  return plain;
}

export const xorTags = {
  XOR_ENCODED_PE: [6, 'contains a Windows program encoded with a single-byte XOR key'],
  XOR_ENCODED_URL: [5, 'contains a URL encoded with a single-byte XOR key'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export type XorTag = keyof typeof xorTags;

/** The message in the DOS stub. Its first 32 characters are the same for all linkers. */
const STUB = 'This program cannot be run in DO';
const SCHEMES = ['http://', 'https://'];
/** The needles of `findXored`. */
export const HIDDEN_NEEDLES: readonly string[] = [STUB, ...SCHEMES];

/** The stub directly follows the header, after at most a few bytes of code. */
const MAX_HEADER_BYTES = 0x200;
const MAX_PROGRAMS = 4;
const MAX_PROGRAM_BYTES = 32 * 1024 * 1024;
const MAX_URLS = 50;

/**
 * Reports content encoded with a single-byte key, and nests programs for analysis. `found` passes
 * the hits of an earlier search.
 */
export function findXored(
  subject: Subject,
  findings: Findings<XorTag>,
  found: readonly XorHit[] = searchXored(subject.bytes, HIDDEN_NEEDLES),
): void {
  const programs = found.filter(({ needle }) => needle === STUB);
  for (const hit of programs.slice(0, MAX_PROGRAMS)) reportProgram(subject, hit, findings);
  if (programs.length > MAX_PROGRAMS) findings.limit(`XOR search: ${MAX_PROGRAMS} programs`);
  const urls = found.filter(({ needle }) => SCHEMES.includes(needle));
  if (programs.length + urls.length >= DEFAULT_MAX_HITS)
    findings.limit(`XOR search: ${DEFAULT_MAX_HITS} places`);
  for (const hit of urls.slice(0, MAX_URLS)) reportUrl(subject.bytes, hit, findings);
}

function reportProgram({ bytes }: Subject, hit: XorHit, findings: Findings<XorTag>): void {
  const note = `key 0x${hit.key.toString(16).padStart(2, '0')}`;
  findings.tag('XOR_ENCODED_PE', { offset: hit.offset, note });
  const start = startOfProgram(bytes, hit);
  if (start === undefined) return;
  const hidden = bytes.subarray(start, start + MAX_PROGRAM_BYTES);
  if (!findings.budget.takeMember() || !findings.budget.takeBytes(hidden.length)) return;
  findings.nest(`xor-${hit.key.toString(16)}-${start}.exe`, unXor(hidden, hit.key));
}

/** The nearest "MZ" before the stub, if any. */
function startOfProgram(bytes: Buffer, { offset, key }: XorHit): number | undefined {
  const lowest = Math.max(0, offset - MAX_HEADER_BYTES);
  for (let at = offset - 0x40; at >= lowest; at -= 1) {
    if (bytes[at] === (0x4d ^ key) && bytes[at + 1] === (0x5a ^ key)) return at;
  }
  return undefined;
}

/** Seven bytes may match by chance in a large file, but not together with a plausible host. */
function reportUrl(bytes: Buffer, { offset, key }: XorHit, findings: Findings<XorTag>): void {
  const plain = unXor(bytes.subarray(offset, offset + MAX_VALUE_LENGTH), key);
  const url = leadingUrl(plain.toString('latin1'));
  if (url === undefined || isBenignHost(url.host)) return;
  const quad = parseQuad(url.host);
  if (quad === undefined ? !isLikelyHost(url.host) : isUnroutable(quad)) return;
  const note = `key 0x${key.toString(16).padStart(2, '0')}`;
  findings.tag('XOR_ENCODED_URL', { offset, note });
  findings.indicator('url', url.text, offset);
}
