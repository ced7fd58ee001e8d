import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseSecretKey, SECRET_KEY_BYTES } from '../domain/secret-key.ts';
import { createFile } from '../platform/durable-file.ts';

/** Reads the key in that file; `undefined` if the file is absent or holds none. */
export async function readSecretKey(file: string): Promise<Uint8Array | undefined> {
  return parseSecretKey(((await readIfPresent(file)) ?? '').trim());
}

/**
 * Reads the key in that file. The first process creates it; another one that starts at the same
 * time reads the same key.
 */
export async function openSecretKey(file: string): Promise<Uint8Array> {
  const text = (await readIfPresent(file)) ?? (await createKey(file));
  const key = parseSecretKey(text.trim());
  if (key === undefined) throw new Error(`${file} does not hold a key for secrets`);
  return key;
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}

async function createKey(file: string): Promise<string> {
  await createFile(file, `${randomBytes(SECRET_KEY_BYTES).toString('base64')}\n`);
  return await readFile(file, 'utf8');
}
