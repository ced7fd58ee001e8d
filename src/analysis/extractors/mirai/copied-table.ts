import { unXor } from '../../codecs/xor-search.ts';
import { MIRAI_NEEDLES } from '../xor-needles.ts';
import type { Copy } from './code/memory.ts';

/**
 * The table as the program fills it: calls that copy each text, in the order of the source, with
 * its address and its length. The public source states a length of thirty for a name of sixteen
 * characters, so the name ends at its terminator.
 */
export interface CopiedText {
  readonly offset: number;
  /** Without terminator; `undefined` if the text or its end is not certain. */
  readonly text: string | undefined;
  /** What it may be if `text` is not certain: up to its terminator. */
  readonly candidate: string | undefined;
  /** The number that the text is, if its length is two. */
  readonly port: number | undefined;
  /** The number of the entry, if it is known. */
  readonly id: number | undefined;
  /** Whether no other call can have passed a text between this one and the next. */
  readonly isNextKnown: boolean;
}

/** Code between two calls. */
const MAX_DISTANCE = 512;
const MAX_TEXT_LENGTH = 512;
const PORT_BYTES = 2;

/** The texts of each function that copies some, decoded with this key. */
export function copiedTables(
  bytes: Buffer,
  copies: readonly (readonly Copy[])[],
  key: number,
): (readonly CopiedText[])[] {
  return copies.flatMap(groupsOf).map((calls) => {
    const distance = usualDistance(calls);
    return calls.map((call, index) => ({
      ...textOf(bytes, call, key),
      id: call.id,
      isNextKnown: (calls[index + 1]?.call ?? 0) - call.call === distance,
    }));
  });
}

/** The words of Mirai that are among these texts. */
export function wordsOf(texts: readonly CopiedText[]): ReadonlySet<string> {
  return new Set(
    MIRAI_NEEDLES.filter((word) => texts.some(({ text }) => `${text}\0`.includes(word))),
  );
}

function groupsOf(copies: readonly Copy[]): Copy[][] {
  const groups: Copy[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const copy of copies) {
    if (copy.at - last > MAX_DISTANCE) groups.push([]);
    groups.at(-1)?.push(copy);
    last = copy.at;
  }
  return groups;
}

/** Calls for each text: one, or two if the function that fills an entry is inlined. */
function usualDistance(calls: readonly Copy[]): number {
  const distances = calls.slice(1).map(({ call }, index) => call - (calls[index]?.call ?? 0));
  const isTwice = distances.filter((distance) => distance === 2).length * 2 > distances.length;
  return isTwice ? 2 : 1;
}

type Text = Omit<CopiedText, 'id' | 'isNextKnown'>;

function textOf(bytes: Buffer, { offset, length }: Copy, key: number): Text {
  if (length === undefined || length > MAX_TEXT_LENGTH || offset + length >= bytes.length) {
    const plain = unXor(bytes.subarray(offset, offset + MAX_TEXT_LENGTH), key);
    const candidate = plain.toString('latin1', 0, Math.max(0, plain.indexOf(0)));
    return { offset, text: undefined, candidate, port: undefined };
  }
  const plain = unXor(bytes.subarray(offset, offset + length), key);
  const terminator = plain.indexOf(0);
  const textLength = terminator === -1 ? length : terminator;
  // The compiler ends each text with a zero that is not encoded.
  const end = offset + (terminator === -1 ? length : terminator + 1);
  const isPort = length === PORT_BYTES && bytes[offset + length] === 0;
  return {
    offset,
    text: bytes[end] === 0 ? plain.toString('latin1', 0, textLength) : undefined,
    candidate: undefined,
    port: isPort ? plain.readUInt16BE(0) : undefined,
  };
}
