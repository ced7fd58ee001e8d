import { existsSync } from 'node:fs';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import { readLines } from '../../http/requests/ndjson.ts';
import { CommandError, EXIT } from '../command.ts';
import { visible } from '../output/show.ts';
import { openLineSource, STANDARD_INPUT } from './line-source.ts';

/** A line of `sha256sum` has a path, which is at most this long. */
const MAX_LINE_BYTES = 8192;
/** Longer than every hash, so that a truncated text is none. */
const MAX_TEXT_LENGTH = 160;

/**
 * The hashes that a command is asked for: its arguments, or the lines of standard input for `-`.
 * Those of a line are only the first word, as `sha256sum` and `b3sum` write them. Lines that arrive
 * together are in one group, so that a slow source is answered as it goes.
 */
export function askedHashes(
  positionals: readonly string[],
): AsyncIterable<readonly string[]> | Iterable<readonly string[]> {
  if (positionals.includes(STANDARD_INPUT)) {
    if (positionals.length > 1)
      throw new CommandError('- reads standard input, and is the only argument then', EXIT.usage);
    return readHashes(openLineSource(STANDARD_INPUT).stream);
  }
  for (const hash of positionals) refuseMistyped(hash);
  return [positionals];
}

/** The server would charge a unit for it. */
export function refuseMistyped(hash: string): void {
  if (parseFileHash(hash) !== undefined) return;
  throw new CommandError(
    `${visible(hash)} is not a SHA-256, SHA-512 or BLAKE3; nothing was looked up${hintFor(hash)}`,
    EXIT.usage,
  );
}

/** An MD5 or a SHA-1. */
const SHORT_HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40})$/i;

function hintFor(text: string): string {
  if (SHORT_HASH.test(text)) return `\nAn MD5 or SHA-1 is found with: rapsheet search ${text}`;
  return existsSync(text) ? `\nThe hash of a file is shown by: sha256sum ${visible(text)}` : '';
}

/** Skips blank lines and comments, which start with `#`. The words may be no hashes. */
export async function* readHashes(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[]> {
  for await (const lines of readLines(stream, MAX_LINE_BYTES)) {
    const words = lines.map(({ bytes }) => firstWord(bytes)).filter((word) => word !== '');
    if (words.length > 0) yield words;
  }
}

/** The whole lines, without blank ones and comments. */
export async function* readTexts(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[]> {
  for await (const lines of readLines(stream, MAX_LINE_BYTES)) {
    const texts = lines.map(({ bytes }) => bytes.toString('utf8', 0, MAX_LINE_BYTES).trim());
    const wanted = texts.filter((text) => text !== '' && !text.startsWith('#'));
    if (wanted.length > 0) yield wanted;
  }
}

function firstWord(bytes: Buffer): string {
  const line = bytes.toString('utf8', 0, MAX_LINE_BYTES).trim();
  if (line.startsWith('#')) return '';
  // A backslash marks an escaped path in the lines of `sha256sum`.
  const word = line.replace(/^\\/, '').split(/\s/, 1)[0] ?? '';
  return word.slice(0, MAX_TEXT_LENGTH);
}

/** Divides groups that are too large for one request. */
export async function* inBatches(
  groups: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  size: number,
): AsyncGenerator<readonly string[]> {
  for await (const group of groups)
    for (let start = 0; start < group.length; start += size) yield group.slice(start, start + size);
}
