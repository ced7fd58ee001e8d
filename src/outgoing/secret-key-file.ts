import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { parseSecretKey, SECRET_KEY_BYTES } from '../domain/secret-key.ts';

/** The key in that file. The first to ask makes it; whoever asks at the same time gets the same one. */
export function openSecretKey(file: string): Uint8Array {
  const text = read(file) ?? make(file);
  const key = parseSecretKey(text.trim());
  if (key === undefined) throw new Error(`${file} does not hold a key for secrets`);
  return key;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Readable by its owner alone; it appears whole or not at all, and never takes the place of another. */
function make(file: string): string {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  writeFlushed(temporary, `${randomBytes(SECRET_KEY_BYTES).toString('base64')}\n`);
  try {
    linkSync(temporary, file);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
  } finally {
    unlinkSync(temporary);
  }
  flush(dirname(file));
  return readFileSync(file, 'utf8');
}

function writeFlushed(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function flush(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
