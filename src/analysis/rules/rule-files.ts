import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RuleSource } from './rule-source.ts';

/** The rules that were read, and a sentence for each file that could not be read. */
export interface RuleFiles {
  readonly sources: readonly RuleSource[];
  readonly problems: readonly string[];
}

export interface RuleFolders {
  /** Our rules; by default the folder of the package. */
  readonly ours?: string | undefined;
  /** The operator's rules, if any. */
  readonly local?: string | undefined;
}

const MAX_FILES = 2000;
const MAX_TOTAL_BYTES = 20 * 1024 * 1024;
const MAX_DEPTH = 3;
const EXTENSION = /\.yara?$/;

/**
 * Reads rule files in the main process; workers, which may not read files, get the text. An
 * unreadable file or folder of the operator is reported and skipped; ours must exist.
 */
export function loadRuleSources({ ours = ownFolder(), local }: RuleFolders = {}): RuleFiles {
  const builtIn = new FolderReader(ours, '', true);
  builtIn.read('', 0);
  if (builtIn.sources.length === 0) {
    throw new Error(`there are no rules in ${ours}: is the program complete?`);
  }
  if (local === undefined) return builtIn;
  const operators = new FolderReader(local, 'local/', false);
  operators.read('', 0);
  return {
    sources: [...builtIn.sources, ...operators.sources],
    problems: [...builtIn.problems, ...operators.problems],
  };
}

/** `rules` and `src` are siblings in the repository and in the published package. */
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

  /** Symbolic links to folders are not followed: they may form a cycle. */
  read(path: string, depth: number): void {
    const entries = this.#try(path, (full) => readdirSync(full, { withFileTypes: true })) ?? [];
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (this.#isFull) return;
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && depth + 1 < MAX_DEPTH) this.read(inner, depth + 1);
      else if (!entry.isDirectory() && EXTENSION.test(entry.name)) this.#readFile(inner);
    }
  }

  #readFile(path: string): void {
    const text = this.#try(path, (full) => this.#withinLimits(statSync(full).size, full));
    if (text === undefined) return;
    const name = this.#prefix + path.replace(EXTENSION, '');
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
