import { unXor } from '../../codecs/xor-search.ts';
import { parseElf } from '../../formats/elf/file.ts';
import type { Subject } from '../../subject.ts';

/**
 * Reads the texts of a Mirai table and decides where each of them begins. That is less simple than it looks:
 *
 *   - A byte that equals the key is a zero, so a zero may be a character of a name, the end of a text or padding.
 *   - Nothing separates the first text from the data before it. The C library's `_IO_stdin_used` (00 02 00 01, or
 *     01 00 02 00) often stands there, and under a printable key its bytes are letters.
 *
 * A beginning is certain after the end of another text, at the start of a section and behind `_IO_stdin_used`, as far
 * as zeros and alignment leave one reading only.
 */
export interface Table {
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

/** Bytes without a zero between them. */
export interface Entry {
  readonly offset: number;
  readonly plain: Buffer;
  readonly raw: Buffer;
  /** Without its end. */
  readonly text: string;
  /** Whether a zero that was XORed with the rest ends it. */
  readonly isEnded: boolean;
  /** Whether but one zero stands between it and the next. */
  readonly isNextNear: boolean;
  readonly zerosBefore: number;
  /** Where a text begins for certain, with nothing but zeros between it and this entry. */
  readonly boundary: number | undefined;
}

/** How the entries of one table are written. */
export interface Layout {
  readonly key: number;
  /** The key as a character of a name; empty where no name can hold it. */
  readonly sign: string;
  /** Each text begins at a multiple of it. */
  readonly alignment: 1 | 4 | 8;
  /** Whether texts have an end of their own. */
  readonly hasEnds: boolean;
  /** Whether texts of all kinds stand among each other, so that none was put elsewhere. */
  readonly isInOrder: boolean;
}

/**
 * Compilers keep texts that hold a zero (the key, divided by it) and long texts, where they align no others, apart from
 * the short ones, each kind in the order of the source. A table that is one array keeps its order.
 */
export type TextKind = 'divided' | 'long' | 'short';

/** How the first character of a text was found. */
export interface Beginning {
  /** Characters that equal the key and so are zeros before the entry. */
  readonly lost: number;
  readonly isCertain: boolean;
  /** Whether the text before it belongs to the table, too. */
  readonly isBehindEnd: boolean;
}

export const HOST_SIGNS = /^[a-z0-9.-]+$/i;
const MOST_LOST = 3;
const LEAST_ENDED = 4;
/** Fewer may be aligned by chance. */
const LEAST_ALIGNED = 8;
/** Texts that begin with the key are the exceptions. */
const MOST_ALIGNED = 0.8;
const STDIN_USED = [Buffer.from('00020001', 'hex'), Buffer.from('01000200', 'hex')];
const PADDING = Buffer.alloc(4);
/** Shorter ones are numbers as often as texts. */
const PLAIN_TEXT = /^[\t\n\r -~]{4,}$/;
const HIDDEN_TEXT = /^[ -~]{3,}$/;
const SURELY_TEXT = 8;
/** The last byte of a number may equal the key. */
const ENDED_TEXT = /^[ -~]{2,}$/;

export function readEntries(subject: Subject, from: number, end: number, key: number): Entry[] {
  const region = subject.bytes.subarray(from, end);
  const boundaries = boundariesOf(subject, { from, end, key });
  const entries: Entry[] = [];
  let boundary: number | undefined;
  let before = 0;
  for (let at = 0; at < region.length; ) {
    if (boundaries.has(from + at)) boundary = from + at;
    if (region[at] === 0) {
      at += 1;
      continue;
    }
    const stop = endOfRun(region, at, (place) => boundaries.has(from + place));
    const raw = region.subarray(at, stop);
    const plain = unXor(raw, key);
    const isEnded = plain.at(-1) === 0;
    entries.push({
      offset: from + at,
      plain,
      raw,
      text: plain.toString('latin1', 0, plain.length - (isEnded ? 1 : 0)),
      isEnded,
      isNextNear: region[stop] === 0 && stop + 1 < region.length && region[stop + 1] !== 0,
      zerosBefore: at - before,
      boundary,
    });
    boundary = undefined;
    before = stop;
    at = stop;
  }
  return entries;
}

function endOfRun(region: Buffer, at: number, isBoundary: (at: number) => boolean): number {
  let end = at + 1;
  while (end < region.length && region[end] !== 0 && !isBoundary(end)) end += 1;
  return end;
}

interface Region {
  readonly from: number;
  readonly end: number;
  readonly key: number;
}

/** Whether padding or code stands before it: within a name, the bytes of `_IO_stdin_used` are letters. */
function isBehindOther(before: Buffer, key: number): boolean {
  const last = before.at(-1) ?? 0;
  return (
    before.equals(PADDING) || (last !== 0 && !HOST_SIGNS.test(String.fromCharCode(last ^ key)))
  );
}

function boundariesOf(subject: Subject, { from, end, key }: Region): ReadonlySet<number> {
  const sections = subject.as(parseElf)?.sections ?? [];
  const boundaries = new Set(sections.filter(({ size }) => size > 0).map(({ offset }) => offset));
  for (let at = Math.ceil(from / 4) * 4; at + 4 <= end; at += 4) {
    const isFirst = boundaries.has(at) || isBehindOther(subject.bytes.subarray(at - 4, at), key);
    if (isFirst && STDIN_USED.some((word) => word.equals(subject.bytes.subarray(at, at + 4))))
      boundaries.add(at + 4);
  }
  return boundaries;
}

export function layoutOf(entries: readonly Entry[], { key, start, end }: Table): Layout {
  const within = entries.filter(({ offset }) => offset >= start && offset < end);
  const behindEnds = entries.filter(
    ({ offset }, index) => offset >= start && offset < end && entries[index - 1]?.isEnded,
  );
  const isAlignedTo = (bytes: number) =>
    behindEnds.length >= LEAST_ALIGNED &&
    behindEnds.filter(({ offset }) => offset % bytes === 0).length >
      behindEnds.length * MOST_ALIGNED;
  const sign = String.fromCharCode(key);
  const alignment = isAlignedTo(8) ? 8 : isAlignedTo(4) ? 4 : 1;
  return {
    key,
    sign: HOST_SIGNS.test(sign) ? sign : '',
    alignment,
    hasEnds: within.filter(({ isEnded }) => isEnded).length >= LEAST_ENDED,
    isInOrder: isInOrder(within, alignment),
  };
}

/** From about here on texts are long to compilers. */
const LONG_TEXT = 28;
const SURELY_LONG = 36;

export function kindOf(text: string, { sign, alignment }: Layout): TextKind {
  if (sign !== '' && text.includes(sign)) return 'divided';
  return alignment === 1 && text.length >= LONG_TEXT ? 'long' : 'short';
}

/** Whether texts of one kind stand before and behind those of another. */
function isInOrder(entries: readonly Entry[], alignment: number): boolean {
  const kinds: TextKind[] = [];
  let pieces: Entry[] = [];
  for (const entry of entries) {
    pieces.push(entry);
    if (!entry.isEnded && entry.isNextNear) continue;
    const kind = kindOfPieces(pieces, alignment);
    if (kind !== undefined && kind !== kinds.at(-1)) kinds.push(kind);
    pieces = [];
  }
  return new Set(kinds).size < kinds.length;
}

/** `undefined` for what may be of either kind, or a port with the text behind it. */
function kindOfPieces(pieces: readonly Entry[], alignment: number): TextKind | undefined {
  const [first] = pieces;
  if (first === undefined || first.plain.length <= PORT_BYTES || !pieces.at(-1)?.isEnded)
    return undefined;
  // With a zero for its first character it is divided, too.
  if (alignment === 1 ? first.zerosBefore > 1 : first.offset % alignment !== 0) return undefined;
  if (pieces.length > 1) return 'divided';
  if (alignment > 1 || first.text.length < LONG_TEXT) return 'short';
  return first.text.length >= SURELY_LONG ? 'long' : undefined;
}

/** Where the next text begins, if it begins right behind this one and with no zero. */
export function startBehind({ offset, plain }: Entry, { alignment }: Layout): number {
  return alignedUp(offset + plain.length + 1, alignment);
}

export function beginningOf(entries: readonly Entry[], index: number, layout: Layout): Beginning {
  const entry = entries[index];
  const before = entries[index - 1];
  if (entry === undefined) return UNKNOWN;
  if (entry.boundary !== undefined)
    return { ...lostBehind(entry.boundary, entry.offset, layout), isBehindEnd: false };
  if (before === undefined || entry.zerosBefore === 0) return UNKNOWN;
  const isBehindEnd = before.isEnded;
  const free = freeBehind(entries, index - 1, layout);
  if (free === undefined) return { ...UNKNOWN, isBehindEnd };
  return { ...lostBehind(free, entry.offset, layout), isBehindEnd };
}

const UNKNOWN: Beginning = { lost: 0, isCertain: false, isBehindEnd: false };

/** The first byte behind a text, its zero included, or behind a port; `undefined` where it may be neither. */
function freeBehind(entries: readonly Entry[], index: number, layout: Layout): number | undefined {
  const entry = entries[index];
  if (entry === undefined) return undefined;
  const end = entry.offset + entry.plain.length + 1;
  if (entry.isEnded && layout.hasEnds && ENDED_TEXT.test(entry.text)) return end;
  const owner = entries[index - 1];
  if (owner?.isEnded && isPortBehind(owner, entry, layout)) {
    // Two characters of a name look the same where the zero behind them may be the third.
    const isName = layout.sign !== '' && HOST_SIGNS.test(entry.text);
    return isName ? undefined : startBehind(owner, layout) + PORT_BYTES + 1;
  }
  return isText(entry, layout) ? end : undefined;
}

/** A text of another part of the program. Where the zero behind it may be a character, it must not be a name's part. */
function isText({ raw, text }: Entry, { sign }: Layout): boolean {
  const isPlain = PLAIN_TEXT.test(raw.toString('latin1'));
  if (sign === '') return isPlain || HIDDEN_TEXT.test(text);
  const mayGoOn = HOST_SIGNS.test(text.slice(-1));
  return isPlain && (!mayGoOn || (raw.length >= SURELY_TEXT && !HOST_SIGNS.test(text)));
}

/** How many of the zeros between a free byte and an entry are characters. */
function lostBehind(
  free: number,
  offset: number,
  { sign, alignment }: Layout,
): Pick<Beginning, 'lost' | 'isCertain'> {
  // A number that follows padding ends at a multiple of four, so that its last byte does not begin at one.
  if (sign === '') return { lost: 0, isCertain: offset === free || offset % 4 === 0 };
  const start = alignedUp(free, alignment);
  const lost = offset - start;
  // So many are padding: no name begins with the same character four times.
  if (lost > MOST_LOST) return { lost: 0, isCertain: offset % 8 === 0 };
  if (lost < 0) return { lost: 0, isCertain: false };
  // Without an alignment of all texts, that of the next part of the program may be what the zeros are for.
  const isPadded = alignment === 1 && alignedUp(start + 1, 4) <= offset;
  return { lost, isCertain: !isPadded };
}

export const PORT_BYTES = 2;

/** Two bytes right behind a text, or one of them where the other equals the key. */
export function isPortBehind(owner: Entry, { offset, plain }: Entry, layout: Layout): boolean {
  const start = startBehind(owner, layout);
  const end = offset + plain.length;
  // An empty text is nothing but its end.
  const isEmpty = plain.length === 1 && plain[0] === 0;
  return offset >= start && end <= start + PORT_BYTES && !isEmpty;
}

function alignedUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
