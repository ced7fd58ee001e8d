import { unXor } from '../../codecs/xor-search.ts';
import { parseElf } from '../../formats/elf/file.ts';
import type { Subject } from '../../subject.ts';

/**
 * Reads the entries of a Mirai table from their layout, for programs whose code is not understood.
 * Two facts make the start of a text uncertain:
 *
 *   - A byte that equals the key is encoded as zero, so a zero may be a character, a terminator or
 *     padding. Names are therefore not read under a key that is a character of host names.
 *   - Nothing separates the first text from the data before it. That is often the C library's
 *     `_IO_stdin_used` (00 02 00 01 or 01 00 02 00), whose bytes decode to letters under a
 *     printable key.
 *
 * A start is certain only directly after the end of another text, and after `_IO_stdin_used` at the
 * start of a section.
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
  /** Whether it directly follows `_IO_stdin_used`. */
  readonly isFirst: boolean;
}

/** The encoding of one table. */
export interface Layout {
  readonly key: number;
  /** Each text starts at a multiple of it. */
  readonly alignment: 1 | 4 | 8;
  /** Whether texts are terminated. */
  readonly hasTerminators: boolean;
}

const MIN_TERMINATED = 4;
/** Fewer may be aligned by chance. */
const MIN_ALIGNED = 8;
const MIN_ALIGNED_SHARE = 0.8;
const STDIN_USED = [Buffer.from('00020001', 'hex'), Buffer.from('01000200', 'hex')];
/** Shorter runs are numbers as often as texts. */
const PLAIN_TEXT = /^[\t\n\r -~]{4,}$/;
const ENCODED_TEXT = /^[ -~]{3,}$/;

export function readEntries(subject: Subject, from: number, end: number, key: number): Entry[] {
  const region = subject.bytes.subarray(from, end);
  const firsts = endsOfStdinUsed(subject);
  const entries: Entry[] = [];
  for (let at = 0; at < region.length; at += 1) {
    if (region[at] === 0) continue;
    const stop = endOfRun(region, at, (offset) => firsts.has(from + offset));
    const raw = region.subarray(at, stop);
    const plain = unXor(raw, key);
    const isTerminated = plain.at(-1) === 0;
    const text = plain.toString('latin1', 0, plain.length - (isTerminated ? 1 : 0));
    const isFirst = firsts.has(from + at);
    entries.push({ offset: from + at, plain, raw, text, isTerminated, isFirst });
    at = stop - 1;
  }
  return entries;
}

function endOfRun(region: Buffer, at: number, isStart: (at: number) => boolean): number {
  let end = at + 1;
  while (end < region.length && region[end] !== 0 && !isStart(end)) end += 1;
  return end;
}

/** The offsets after `_IO_stdin_used`, which is the start of a section. */
function endsOfStdinUsed(subject: Subject): ReadonlySet<number> {
  const { bytes } = subject;
  const sections = subject.as(parseElf)?.sections ?? [];
  return new Set(
    sections.flatMap(({ offset }) =>
      STDIN_USED.some((word) => word.equals(bytes.subarray(offset, offset + 4))) ? offset + 4 : [],
    ),
  );
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
  return {
    key,
    alignment: isAlignedTo(8) ? 8 : isAlignedTo(4) ? 4 : 1,
    hasTerminators: within.filter(({ isTerminated }) => isTerminated).length >= MIN_TERMINATED,
  };
}

/** Compilers align texts of about this length, and emit them separately. */
const LONG_TEXT_LENGTH = 28;

export function isLong(text: string, { alignment }: Layout): boolean {
  return alignment === 1 && text.length >= LONG_TEXT_LENGTH;
}

/** Offset of the next text, if it directly follows. */
export function startAfter({ offset, plain }: Entry, { alignment }: Layout): number {
  return alignedUp(offset + plain.length + 1, alignment);
}

/** A number between two texts is at a multiple of its size, so a larger gap may contain one. */
const MAX_PADDED = 4;

/** Whether a text certainly starts with this entry. */
export function startsText(entries: readonly Entry[], index: number, layout: Layout): boolean {
  const entry = entries[index];
  const end = endBefore(entries, index, layout);
  if (entry === undefined || end === undefined) return entry?.isFirst === true;
  return entry.isFirst || entry.offset === end || entry.offset === alignedUp(end, MAX_PADDED);
}

/** The offset after the text or port before an entry, and its zero; `undefined` for other data. */
function endBefore(entries: readonly Entry[], index: number, layout: Layout): number | undefined {
  const [owner, before] = [entries[index - 2], entries[index - 1]];
  if (before === undefined) return undefined;
  if (owner?.isTerminated && isPortAfter(owner, before, layout))
    return startAfter(owner, layout) + PORT_BYTES + 1;
  const isText = PLAIN_TEXT.test(before.raw.toString('latin1')) || ENCODED_TEXT.test(before.text);
  return isText ? before.offset + before.plain.length + 1 : undefined;
}

export const PORT_BYTES = 2;

/** Two bytes directly after a text, or one if the other equals the key. */
export function isPortAfter(owner: Entry, { offset, plain }: Entry, layout: Layout): boolean {
  const start = startAfter(owner, layout);
  // An empty text consists of its terminator.
  const isEmpty = plain.length === 1 && plain[0] === 0;
  return offset >= start && offset + plain.length <= start + PORT_BYTES && !isEmpty;
}

function alignedUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
