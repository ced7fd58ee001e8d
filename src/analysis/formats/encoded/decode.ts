import { isRecognised } from '../script/layers.ts';
import type { EncodedRun } from './runs.ts';

/** Content decoded from a run, and its encoding. */
export interface Decoded {
  readonly encoding: 'base64' | 'reversed base64' | 'hex';
  readonly bytes: Buffer;
}

/** Larger programs are embedded as files, not as text. */
const MAX_CHARACTERS = 48 * 1024 * 1024;
/** Enough to recognise content; a multiple of four, so that base64 is cut between groups. */
const HEAD_CHARACTERS = 1024;

/** Decodes a run if the result is a program, archive, document or text; most runs are not. */
export function decodeRun(bytes: Buffer, run: EncodedRun): Decoded | undefined {
  const head = textOf(bytes, run, HEAD_CHARACTERS);
  if (/^[0-9a-f]+$/i.test(head) && isRecognised(Buffer.from(head, 'hex')))
    return { encoding: 'hex', bytes: Buffer.from(textOf(bytes, run, MAX_CHARACTERS), 'hex') };
  if (isRecognised(Buffer.from(head, 'base64')))
    return { encoding: 'base64', bytes: Buffer.from(textOf(bytes, run, MAX_CHARACTERS), 'base64') };
  // Some programs store it reversed, so that its beginning is not recognised.
  if (!isRecognised(Buffer.from(reversed(tailOf(bytes, run)), 'base64'))) return undefined;
  const backwards = reversed(textOf(bytes, run, MAX_CHARACTERS));
  return { encoding: 'reversed base64', bytes: Buffer.from(backwards, 'base64') };
}

/** At most `maxCharacters` characters, without line breaks. */
function textOf(bytes: Buffer, { start, end, isWide }: EncodedRun, maxCharacters: number): string {
  // Lines have about 64 characters and a line break of two.
  const window = maxCharacters + Math.ceil(maxCharacters / 16);
  const last = Math.min(end, start + window * (isWide ? 2 : 1));
  return stripped(bytes.toString(isWide ? 'utf16le' : 'latin1', start, last)).slice(
    0,
    maxCharacters,
  );
}

function tailOf(bytes: Buffer, { start, end, isWide }: EncodedRun): string {
  const first = Math.max(start, end - 2 * HEAD_CHARACTERS * (isWide ? 2 : 1));
  return stripped(bytes.toString(isWide ? 'utf16le' : 'latin1', first, end)).slice(
    -HEAD_CHARACTERS,
  );
}

function stripped(text: string): string {
  return text.replace(/[\r\n]+/g, '');
}

function reversed(text: string): string {
  return Buffer.from(text, 'latin1').reverse().toString('latin1');
}
