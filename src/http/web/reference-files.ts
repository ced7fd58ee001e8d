import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { SharedFile } from './shared-file.ts';

const FOLDER = new URL('./static/', import.meta.resolve('@fastify/swagger-ui'));

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/**
 * The scripts and styles of the reference page, by name. Loaded they take 4 MB, with their
 * compressed copies.
 */
export async function openReferenceFiles(): Promise<ReadonlyMap<string, SharedFile>> {
  const files = new Map<string, SharedFile>();
  for (const name of await readdir(FOLDER)) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(name, new SharedFile(type, () => readFile(new URL(name, FOLDER))));
  }
  return files;
}
