import { isTelling } from '../script/layers.ts';
import type { EncodedRun } from './runs.ts';

/** Content that was found in a run, and how it was written there. */
export interface Decoded {
  readonly encoding: 'base64' | 'reversed base64' | 'hex';
  readonly bytes: Buffer;
}

/** A program that is larger is carried as a file, not as a text. */
const MAX_SIGNS = 48 * 1024 * 1024;
/** Enough to know a beginning by; a multiple of four, so that base64 is cut between its groups. */
const HEAD_SIGNS = 1024;

/** What a run says, where that is a program, an archive, a document or a text; most runs are something else. */
export function decodeRun(bytes: Buffer, run: EncodedRun): Decoded | undefined {
  const head = textOf(bytes, run, HEAD_SIGNS);
  if (/^[0-9a-f]+$/i.test(head) && isTelling(Buffer.from(head, 'hex')))
    return { encoding: 'hex', bytes: Buffer.from(textOf(bytes, run, MAX_SIGNS), 'hex') };
  if (isTelling(Buffer.from(head, 'base64')))
    return { encoding: 'base64', bytes: Buffer.from(textOf(bytes, run, MAX_SIGNS), 'base64') };
  // Some programs keep it backwards, so that nobody finds it by how it begins.
  if (!isTelling(Buffer.from(reversed(tailOf(bytes, run)), 'base64'))) return undefined;
  const backwards = reversed(textOf(bytes, run, MAX_SIGNS));
  return { encoding: 'reversed base64', bytes: Buffer.from(backwards, 'base64') };
}

/** So many signs at most, without line ends. */
function textOf(bytes: Buffer, { start, end, isWide }: EncodedRun, most: number): string {
  // Lines have some 64 signs and an end of two.
  const window = most + Math.ceil(most / 16);
  const last = Math.min(end, start + window * (isWide ? 2 : 1));
  return stripped(bytes.toString(isWide ? 'utf16le' : 'latin1', start, last)).slice(0, most);
}

function tailOf(bytes: Buffer, { start, end, isWide }: EncodedRun): string {
  const first = Math.max(start, end - 2 * HEAD_SIGNS * (isWide ? 2 : 1));
  return stripped(bytes.toString(isWide ? 'utf16le' : 'latin1', first, end)).slice(-HEAD_SIGNS);
}

function stripped(text: string): string {
  return text.replace(/[\r\n]+/g, '');
}

function reversed(text: string): string {
  return Buffer.from(text, 'latin1').reverse().toString('latin1');
}
