import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RuleSource } from './rules.ts';

/** What was read, and a sentence for each file that could not be. */
export interface RuleFiles {
  readonly sources: readonly RuleSource[];
  readonly problems: readonly string[];
}

export interface RuleFolders {
  /** Ours; without it the folder that came with the program. */
  readonly ours?: string | undefined;
  /** The operator's own, if there is one. */
  readonly local?: string | undefined;
}

const MAX_FILES = 2000;
const MAX_TOTAL_BYTES = 20 * 1024 * 1024;
const MAX_DEPTH = 3;
const ENDING = /\.yara?$/;

/**
 * Reads rules where files may be read: the processes that use them are handed the text. An operator's bad file
 * or folder is told and left out; ours must be there.
 */
export function loadRuleSources({ ours = ownFolder(), local }: RuleFolders = {}): RuleFiles {
  const own = new FolderReader(ours, '', true);
  own.read('', 0);
  if (own.sources.length === 0) {
    throw new Error(`there are no rules in ${ours}: is the program complete?`);
  }
  if (local === undefined) return own;
  const theirs = new FolderReader(local, 'local/', false);
  theirs.read('', 0);
  return {
    sources: [...own.sources, ...theirs.sources],
    problems: [...own.problems, ...theirs.problems],
  };
}

/** Where the server stands is wherever the package was put; both trees have `rules` beside `src`. */
function ownFolder(): string {
  return fileURLToPath(new URL('../../../rules/', import.meta.url));
}

class FolderReader implements RuleFiles {
  readonly sources: RuleSource[] = [];
  readonly problems: string[] = [];
  readonly #folder: string;
  readonly #prefix: string;
  readonly #ours: boolean;
  #totalBytes = 0;
  #isFull = false;

  constructor(folder: string, prefix: string, ours: boolean) {
    this.#folder = folder;
    this.#prefix = prefix;
    this.#ours = ours;
  }

  /** Folders that are links are not followed: they may lead around in a ring. */
  read(path: string, depth: number): void {
    const entries = this.#try(path, (full) => readdirSync(full, { withFileTypes: true })) ?? [];
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (this.#isFull) return;
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && depth + 1 < MAX_DEPTH) this.read(inner, depth + 1);
      else if (!entry.isDirectory() && ENDING.test(entry.name)) this.#readFile(inner);
    }
  }

  #readFile(path: string): void {
    const text = this.#try(path, (full) => this.#withinLimits(statSync(full).size, full));
    if (text === undefined) return;
    const name = this.#prefix + path.replace(ENDING, '');
    this.sources.push({ name, text, ours: this.#ours });
  }

  #withinLimits(sizeBytes: number, full: string): string | undefined {
    this.#isFull =
      this.sources.length >= MAX_FILES || this.#totalBytes + sizeBytes > MAX_TOTAL_BYTES;
    if (this.#isFull) {
      this.problems.push(
        `rules beyond ${MAX_FILES} files or ${MAX_TOTAL_BYTES / 1024 / 1024} MB are left out, from ${full} on`,
      );
      return undefined;
    }
    this.#totalBytes += sizeBytes;
    return readFileSync(full, 'utf8');
  }

  #try<Result>(path: string, read: (full: string) => Result): Result | undefined {
    const full = join(this.#folder, path);
    try {
      return read(full);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.problems.push(`${full} could not be read: ${reason}`);
      return undefined;
    }
  }
}
