import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { CommandError } from '../command.ts';

export interface LineSource {
  readonly stream: Readable;
  /** Unknown for a pipe. */
  readonly totalBytes: number | undefined;
}

export const STANDARD_INPUT = '-';

/** Opens a file of lines; `-` is standard input. */
export function openLineSource(file: string): LineSource {
  if (file === STANDARD_INPUT) return { stream: process.stdin, totalBytes: undefined };
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`there is no file ${file}`);
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder`);
  return {
    stream: createReadStream(file),
    totalBytes: stats.isFile() ? stats.size : undefined,
  };
}
