import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A checkout of the program: this one, or another to compare with. */
export interface Tree {
  readonly name: string;
  readonly folder: string;
  /** The store that this checkout's own code fills, because schemas may differ. */
  storeOf(count: number): string;
}

export const THIS_TREE = fileURLToPath(new URL('..', import.meta.url));

export async function openTree(name: string, path: string): Promise<Tree> {
  const folder = resolve(path);
  const { storeOf } = (await import(
    pathToFileURL(join(folder, 'bench/stores.ts')).href
  )) as typeof import('./stores.ts');
  return { name, folder, storeOf };
}

export interface StartCommand {
  readonly flags: readonly string[];
  readonly entry: string;
}

/** The flags and the program of `npm start`, so that a benchmark runs what operators run. */
export function startCommandOf(folder: string): StartCommand {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const words = String(scripts.start).split(/\s+/);
  const node = words.indexOf('node');
  const entry = words.findIndex((word, index) => index > node && /\.[jt]s$/.test(word));
  if (node === -1 || entry === -1) throw new Error(`npm start of ${folder}: ${scripts.start}`);
  return { flags: words.slice(node + 1, entry), entry: join(folder, words[entry] ?? '') };
}

/** Adds an account with every role to a store without a running server, and returns its token. */
export function addAdmin(folder: string, dataDir: string): string {
  const { flags, entry } = startCommandOf(folder);
  const roles = ['--admin', '--researcher', '--service', 'ply', '--quota', 'unlimited'];
  const text = execFileSync(
    process.execPath,
    [...flags, entry, 'account', 'add', 'bench-admin', ...roles, '--json'],
    { env: { PATH: process.env['PATH'], RAPSHEET_DATA_DIR: dataDir }, encoding: 'utf8' },
  );
  return JSON.parse(text).token;
}
