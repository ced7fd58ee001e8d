import { HIDDEN_NEEDLES, searchXored, type XorHit } from '../codecs/xor-search.ts';
import type { Subject } from '../subject.ts';

/**
 * Byte sequences that families encode with a single-byte XOR key. One pass over a file finds all of
 * them, so another family adds no cost: add its needles here and call `xorHits(subject, NEEDLES)`.
 */

/**
 * The start of a Cobalt Strike beacon's settings: number 1 (protocol, one of six values), type 1,
 * length 2; then number 2 (port) with the same type and length.
 */
export const BEACON_NEEDLES: readonly string[] = [
  '\x00',
  '\x01',
  '\x02',
  '\x04',
  '\x08',
  '\x10',
].map((protocol) => `\x00\x01\x00\x01\x00\x02\x00${protocol}\x00\x02\x00\x01\x00\x02`);

/** The start of 32-bit and 64-bit shellcode that resolves functions by the hash of their names. */
export const STAGER_NEEDLES: readonly string[] = [
  '\xfc\xe8\x89\x00\x00\x00\x60\x89\xe5',
  '\xfc\x48\x83\xe4\xf0\xe8\xc8\x00\x00\x00\x41\x51\x41\x50',
];

/** The start of SystemBC's settings. */
export const SYSTEMBC_NEEDLES: readonly string[] = ['BEGINDATA\0HOST1:'];

/** The bytes before Lumma's ChaCha20 key. Other programs contain them, too. */
export const LUMMA_NEEDLES: readonly string[] = [
  '\x32\x1d\x30\xf9\x48\x77\x82\x5a\x3c\xbf\x73\x7f\xdd\x4f\x15\x75',
];

/** Texts in the table of Mirai and its derivatives. */
export const MIRAI_NEEDLES: readonly string[] = [
  '/bin/busybox',
  'applet not found',
  'ncorrect',
  'assword',
  '/proc/',
  'enable\0',
  'shell\0',
];

/** Pages that Vidar reads the address of its server from. */
export const VIDAR_DEAD_DROP_NEEDLES: readonly string[] = [
  'https://steamcommunity.com/profiles/7656119',
  'https://telegram.me/',
  'https://t.me/',
];

/** These pages, and names of the tasks of Vidar 2. */
export const VIDAR_NEEDLES: readonly string[] = [
  ...VIDAR_DEAD_DROP_NEEDLES,
  'Browser List\0',
  'Chromium Plugins\0',
  'Firefox Plugins\0',
  'Wallet Rules\0',
  'File Grabber Rules\0',
  'Loader Tasks\0',
];

/** The end of Winos' settings: `:1p|` and a zero character in UTF-16. */
export const WINOS_NEEDLES: readonly string[] = [':\x001\x00p\x00|\x00\x00\x00'];

/** These are also reported under key 0, that is, unencoded. */
const PLAIN_NEEDLES = [
  ...BEACON_NEEDLES,
  ...STAGER_NEEDLES,
  ...SYSTEMBC_NEEDLES,
  ...LUMMA_NEEDLES,
  ...WINOS_NEEDLES,
];

const NEEDLES = [...HIDDEN_NEEDLES, ...PLAIN_NEEDLES, ...MIRAI_NEEDLES, ...VIDAR_NEEDLES];
const MAX_HITS_EACH = 1000;
const MAX_HITS = NEEDLES.length * MAX_HITS_EACH;

/** The hits of these needles, or of all, in the order of the file. */
export function xorHits(subject: Subject, needles?: readonly string[]): readonly XorHit[] {
  const hits = subject.as(searchAllNeedles) ?? [];
  return needles === undefined ? hits : hits.filter(({ needle }) => needles.includes(needle));
}

/** A named function, because the subject caches results by parser. */
function searchAllNeedles(bytes: Buffer): readonly XorHit[] {
  return searchXored(bytes, NEEDLES, {
    plain: PLAIN_NEEDLES,
    maxHits: MAX_HITS,
    maxHitsEach: MAX_HITS_EACH,
  });
}
