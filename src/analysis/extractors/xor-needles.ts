import { HIDDEN_NEEDLES, searchXored, type XorHit } from '../codecs/xor-search.ts';
import type { Subject } from '../subject.ts';

/**
 * What families hide under a single-byte XOR key. All of it is looked for in the one pass that every file gets,
 * so that another family costs nothing: add its needles here and ask `xorHits(subject, NEEDLES)`.
 */

/**
 * How the settings of a Cobalt Strike beacon begin: number 1 (the protocol, one of six), of type 1, 2 bytes
 * long; then number 2 (the port), of the same type and length.
 */
export const BEACON_NEEDLES: readonly string[] = [
  '\x00',
  '\x01',
  '\x02',
  '\x04',
  '\x08',
  '\x10',
].map((protocol) => `\x00\x01\x00\x01\x00\x02\x00${protocol}\x00\x02\x00\x01\x00\x02`);

/** How shellcode of 32 and of 64 bits begins that looks functions up by a hash of their names. */
export const STAGER_NEEDLES: readonly string[] = [
  '\xfc\xe8\x89\x00\x00\x00\x60\x89\xe5',
  '\xfc\x48\x83\xe4\xf0\xe8\xc8\x00\x00\x00\x41\x51\x41\x50',
];

/** How the settings of SystemBC begin. */
export const SYSTEMBC_NEEDLES: readonly string[] = ['BEGINDATA\0HOST1:'];

/** What stands before the ChaCha20 key of Lumma; it is a constant of others, too. */
export const LUMMA_NEEDLES: readonly string[] = [
  '\x32\x1d\x30\xf9\x48\x77\x82\x5a\x3c\xbf\x73\x7f\xdd\x4f\x15\x75',
];

/** Texts of the table of Mirai and those after it. */
export const MIRAI_NEEDLES: readonly string[] = [
  '/bin/busybox',
  'applet not found',
  'ncorrect',
  'assword',
  '/proc/',
  'enable\0',
  'shell\0',
];

/** These are told under key 0, too, that is, where they stand as they are. */
const PLAIN_NEEDLES = [...BEACON_NEEDLES, ...STAGER_NEEDLES, ...SYSTEMBC_NEEDLES, ...LUMMA_NEEDLES];

const NEEDLES = [...HIDDEN_NEEDLES, ...PLAIN_NEEDLES, ...MIRAI_NEEDLES];
const MAX_HITS_EACH = 1000;
const MAX_HITS = NEEDLES.length * MAX_HITS_EACH;

/** Where needles stand, in the order of the file; all of them, or only those that are asked for. */
export function xorHits(subject: Subject, needles?: readonly string[]): readonly XorHit[] {
  const hits = subject.as(searchForAll) ?? [];
  return needles === undefined ? hits : hits.filter(({ needle }) => needles.includes(needle));
}

/** A parser of its own name, so that the subject keeps what it found. */
function searchForAll(bytes: Buffer): readonly XorHit[] {
  return searchXored(bytes, NEEDLES, {
    plain: PLAIN_NEEDLES,
    maxHits: MAX_HITS,
    maxHitsEach: MAX_HITS_EACH,
  });
}
