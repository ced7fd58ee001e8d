import { unXor } from '../../codecs/xor-search.ts';
import { parseElf } from '../../formats/elf/file.ts';
import type { Subject } from '../../subject.ts';

/**
 * Reads the entries of a Mirai table and determines where each text starts. Two facts make that
 * hard:
 *
 *   - A byte that equals the key is encoded as zero, so a zero may be a character, a terminator or
 *     padding.
 *   - Nothing separates the first text from the data before it. That is often the C library's
 *     `_IO_stdin_used` (00 02 00 01 or 01 00 02 00), whose bytes decode to letters under a
 *     printable key.
 *
 * A start is certain after the end of another text, at the start of a section and after
 * `_IO_stdin_used`, if zeros and alignment allow one interpretation only.
 */
export interface Table {
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

/** A run of bytes without a zero. */
export interface Entry {
  readonly offset: number;
  readonly plain: Buffer;
  readonly raw: Buffer;
  /** Without its terminator. */
  readonly text: string;
  /** Whether it ends with an encoded zero. */
  readonly isTerminated: boolean;
  /** Whether a single zero separates it from the next entry. */
  readonly isNextAdjacent: boolean;
  readonly zerosBefore: number;
  /** Offset of a certain start of a text, with only zeros between it and this entry. */
  readonly boundary: number | undefined;
}

/** The encoding of one table. */
export interface Layout {
  readonly key: number;
  /** The key as a character; empty if host names cannot contain it. */
  readonly keyCharacter: string;
  /** Each text starts at a multiple of it. */
  readonly alignment: 1 | 4 | 8;
  /** Whether texts are terminated. */
  readonly hasTerminators: boolean;
  /** Whether texts of all kinds are mixed, so that the compiler has moved none. */
  readonly isInOrder: boolean;
}

/**
 * Compilers emit texts with an embedded zero (`divided`), and long texts if others are not aligned,
 * separately from short texts. Each kind keeps the order of the source. A table that is one array
 * keeps its order.
 */
export type TextKind = 'divided' | 'long' | 'short';

/** Where a text starts, relative to its first entry. */
export interface TextStart {
  /** Leading characters that equal the key, which are zeros before the entry. */
  readonly lost: number;
  readonly isCertain: boolean;
  /** Whether it follows a terminated text. */
  readonly followsTerminator: boolean;
}

export const HOST_CHARACTERS = /^[a-z0-9.-]+$/i;
const MAX_LOST = 3;
const MIN_TERMINATED = 4;
/** Fewer may be aligned by chance. */
const MIN_ALIGNED = 8;
/** Texts that start with the key are exceptions. */
const MIN_ALIGNED_SHARE = 0.8;
const STDIN_USED = [Buffer.from('00020001', 'hex'), Buffer.from('01000200', 'hex')];
const PADDING = Buffer.alloc(4);
/** Shorter runs are numbers as often as texts. */
const PLAIN_TEXT = /^[\t\n\r -~]{4,}$/;
const ENCODED_TEXT = /^[ -~]{3,}$/;
const CERTAIN_TEXT_LENGTH = 8;
/** At least two characters: the last byte of a number may equal the key. */
const TERMINATED_TEXT = /^[ -~]{2,}$/;

export function readEntries(subject: Subject, from: number, end: number, key: number): Entry[] {
  const region = subject.bytes.subarray(from, end);
  const boundaries = boundariesOf(subject, { from, end, key });
  const entries: Entry[] = [];
  let boundary: number | undefined;
  let previousEnd = 0;
  for (let at = 0; at < region.length; ) {
    if (boundaries.has(from + at)) boundary = from + at;
    if (region[at] === 0) {
      at += 1;
      continue;
    }
    const stop = endOfRun(region, at, (offset) => boundaries.has(from + offset));
    const raw = region.subarray(at, stop);
    const plain = unXor(raw, key);
    const isTerminated = plain.at(-1) === 0;
    entries.push({
      offset: from + at,
      plain,
      raw,
      text: plain.toString('latin1', 0, plain.length - (isTerminated ? 1 : 0)),
      isTerminated,
      isNextAdjacent: region[stop] === 0 && stop + 1 < region.length && region[stop + 1] !== 0,
      zerosBefore: at - previousEnd,
      boundary,
    });
    boundary = undefined;
    previousEnd = stop;
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

/** Whether padding or code precedes. Within a name, the bytes of `_IO_stdin_used` are letters. */
function followsOtherData(before: Buffer, key: number): boolean {
  const last = before.at(-1) ?? 0;
  return (
    before.equals(PADDING) || (last !== 0 && !HOST_CHARACTERS.test(String.fromCharCode(last ^ key)))
  );
}

function boundariesOf(subject: Subject, { from, end, key }: Region): ReadonlySet<number> {
  const sections = subject.as(parseElf)?.sections ?? [];
  const boundaries = new Set(sections.filter(({ size }) => size > 0).map(({ offset }) => offset));
  for (let at = Math.ceil(from / 4) * 4; at + 4 <= end; at += 4) {
    const isFirst = boundaries.has(at) || followsOtherData(subject.bytes.subarray(at - 4, at), key);
    if (isFirst && STDIN_USED.some((word) => word.equals(subject.bytes.subarray(at, at + 4))))
      boundaries.add(at + 4);
  }
  return boundaries;
}

export function layoutOf(entries: readonly Entry[], { key, start, end }: Table): Layout {
  const within = entries.filter(({ offset }) => offset >= start && offset < end);
  const afterTerminators = entries.filter(
    ({ offset }, index) => offset >= start && offset < end && entries[index - 1]?.isTerminated,
  );
  const isAlignedTo = (bytes: number) =>
    afterTerminators.length >= MIN_ALIGNED &&
    afterTerminators.filter(({ offset }) => offset % bytes === 0).length >
      afterTerminators.length * MIN_ALIGNED_SHARE;
  const character = String.fromCharCode(key);
  const alignment = isAlignedTo(8) ? 8 : isAlignedTo(4) ? 4 : 1;
  return {
    key,
    keyCharacter: HOST_CHARACTERS.test(character) ? character : '',
    alignment,
    hasTerminators: within.filter(({ isTerminated }) => isTerminated).length >= MIN_TERMINATED,
    isInOrder: isInOrder(within, alignment),
  };
}

/** Compilers treat texts of about this length as long. */
const LONG_TEXT_LENGTH = 28;
const CERTAIN_LONG_LENGTH = 36;

export function kindOf(text: string, { keyCharacter, alignment }: Layout): TextKind {
  if (keyCharacter !== '' && text.includes(keyCharacter)) return 'divided';
  return alignment === 1 && text.length >= LONG_TEXT_LENGTH ? 'long' : 'short';
}

/** Whether texts of one kind occur before and after those of another. */
function isInOrder(entries: readonly Entry[], alignment: number): boolean {
  const kinds: TextKind[] = [];
  let pieces: Entry[] = [];
  for (const entry of entries) {
    pieces.push(entry);
    if (!entry.isTerminated && entry.isNextAdjacent) continue;
    const kind = kindOfPieces(pieces, alignment);
    if (kind !== undefined && kind !== kinds.at(-1)) kinds.push(kind);
    pieces = [];
  }
  return new Set(kinds).size < kinds.length;
}

/** `undefined` if the kind is ambiguous, or the pieces are a port and a text. */
function kindOfPieces(pieces: readonly Entry[], alignment: number): TextKind | undefined {
  const [first] = pieces;
  if (first === undefined || first.plain.length <= PORT_BYTES || !pieces.at(-1)?.isTerminated)
    return undefined;
  // A text that starts with a zero is divided, too.
  if (alignment === 1 ? first.zerosBefore > 1 : first.offset % alignment !== 0) return undefined;
  if (pieces.length > 1) return 'divided';
  if (alignment > 1 || first.text.length < LONG_TEXT_LENGTH) return 'short';
  return first.text.length >= CERTAIN_LONG_LENGTH ? 'long' : undefined;
}

/** Offset of the next text, if it directly follows and does not start with a zero. */
export function startAfter({ offset, plain }: Entry, { alignment }: Layout): number {
  return alignedUp(offset + plain.length + 1, alignment);
}

export function textStartOf(entries: readonly Entry[], index: number, layout: Layout): TextStart {
  const entry = entries[index];
  const before = entries[index - 1];
  if (entry === undefined) return UNKNOWN;
  if (entry.boundary !== undefined)
    return { ...lostAfter(entry.boundary, entry.offset, layout), followsTerminator: false };
  if (before === undefined || entry.zerosBefore === 0) return UNKNOWN;
  const followsTerminator = before.isTerminated;
  const end = endAfter(entries, index - 1, layout);
  if (end === undefined) return { ...UNKNOWN, followsTerminator };
  return { ...lostAfter(end, entry.offset, layout), followsTerminator };
}

const UNKNOWN: TextStart = { lost: 0, isCertain: false, followsTerminator: false };

/**
 * The first offset after a text and its zero, or after a port; `undefined` if the entry is neither.
 */
function endAfter(entries: readonly Entry[], index: number, layout: Layout): number | undefined {
  const entry = entries[index];
  if (entry === undefined) return undefined;
  const end = entry.offset + entry.plain.length + 1;
  if (entry.isTerminated && layout.hasTerminators && TERMINATED_TEXT.test(entry.text)) return end;
  const owner = entries[index - 1];
  if (owner?.isTerminated && isPortAfter(owner, entry, layout)) {
    // Two characters of a name look the same if the zero after them may be the third.
    const isName = layout.keyCharacter !== '' && HOST_CHARACTERS.test(entry.text);
    return isName ? undefined : startAfter(owner, layout) + PORT_BYTES + 1;
  }
  return isText(entry, layout) ? end : undefined;
}

/**
 * A text of another part of the program. If the zero after it may be a character, it is not part of
 * a name.
 */
function isText({ raw, text }: Entry, { keyCharacter }: Layout): boolean {
  const isPlain = PLAIN_TEXT.test(raw.toString('latin1'));
  if (keyCharacter === '') return isPlain || ENCODED_TEXT.test(text);
  const mayContinue = HOST_CHARACTERS.test(text.slice(-1));
  return (
    isPlain && (!mayContinue || (raw.length >= CERTAIN_TEXT_LENGTH && !HOST_CHARACTERS.test(text)))
  );
}

/** How many of the zeros between `end` and an entry are characters. */
function lostAfter(
  end: number,
  offset: number,
  { keyCharacter, alignment }: Layout,
): Pick<TextStart, 'lost' | 'isCertain'> {
  // The last byte of a number is not at a multiple of four, so such an entry is not one.
  if (keyCharacter === '') return { lost: 0, isCertain: offset === end || offset % 4 === 0 };
  const start = alignedUp(end, alignment);
  const lost = offset - start;
  // More zeros are padding: no name starts with four equal characters.
  if (lost > MAX_LOST) return { lost: 0, isCertain: offset % 8 === 0 };
  if (lost < 0) return { lost: 0, isCertain: false };
  // If texts are not aligned, the zeros may align the next part of the program.
  const isPadded = alignment === 1 && alignedUp(start + 1, 4) <= offset;
  return { lost, isCertain: !isPadded };
}

export const PORT_BYTES = 2;

/** Two bytes directly after a text, or one if the other equals the key. */
export function isPortAfter(owner: Entry, { offset, plain }: Entry, layout: Layout): boolean {
  const start = startAfter(owner, layout);
  const end = offset + plain.length;
  // An empty text consists of its terminator.
  const isEmpty = plain.length === 1 && plain[0] === 0;
  return offset >= start && end <= start + PORT_BYTES && !isEmpty;
}

function alignedUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
