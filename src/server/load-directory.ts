import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Directory } from '../domain/directory/directory.ts';
import { type Provider, parseProvider } from '../domain/directory/provider.ts';

export interface LoadedDirectory {
  readonly directory: Directory;
  /** A sentence for each file that is left out, and for each value that two files have. */
  readonly problems: readonly string[];
}

interface DirectoryFolders {
  /** Our providers; by default the folder of the package. */
  readonly ours?: string | undefined;
  /** The operator's providers, if any. */
  readonly directoryFolder?: string | undefined;
}

const MAX_FILES = 10_000;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const SHOWN_PROBLEMS = 3;
/** Describes the format to editors. */
const SCHEMA = 'schema.json';

/**
 * Reads the providers of the package and those of the operator. A file of the operator replaces
 * ours with the same name; of equal suffixes or networks, the operator's wins. A wrong file is
 * left out and named.
 */
export function loadDirectory({
  ours = ownFolder(),
  directoryFolder,
}: DirectoryFolders = {}): LoadedDirectory {
  const operators = directoryFolder === undefined ? undefined : readFolder(directoryFolder);
  const builtIn = readFolder(ours);
  const kept = [...builtIn.providers].filter(([file]) => operators?.providers.has(file) !== true);
  return {
    directory: new Directory([
      ...(operators?.providers.values() ?? []),
      ...kept.map(([, provider]) => provider),
    ]),
    problems: [...builtIn.problems, ...(operators?.problems ?? [])],
  };
}

/** `directory` and `src` are siblings in the repository and in the published package. */
function ownFolder(): string {
  return fileURLToPath(new URL('../../directory/', import.meta.url));
}

interface ReadFolder {
  /** By the name of the file, in that order. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly problems: readonly string[];
}

function readFolder(folder: string): ReadFolder {
  const providers = new Map<string, Provider>();
  const problems: string[] = [];
  let totalBytes = 0;
  for (const file of filesOf(folder, problems)) {
    const full = join(folder, file);
    try {
      totalBytes += statSync(full).size;
      if (totalBytes > MAX_TOTAL_BYTES || providers.size >= MAX_FILES) {
        problems.push(
          `providers beyond ${MAX_FILES} files or ${MAX_TOTAL_BYTES / 1024 / 1024} MB are left out, from ${full} on`,
        );
        break;
      }
      const parsed = parseProvider(JSON.parse(readFileSync(full, 'utf8')));
      if (parsed.kind === 'provider') providers.set(file, parsed.provider);
      else problems.push(`${full} is left out: ${someOf(parsed.problems)}`);
    } catch (error) {
      problems.push(`${full} is left out: ${reasonOf(error)}`);
    }
  }
  return { providers, problems: [...problems, ...sharedValues(folder, providers)] };
}

function filesOf(folder: string, problems: string[]): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.') && name !== SCHEMA)
      .sort();
  } catch (error) {
    problems.push(`${folder} could not be read: ${reasonOf(error)}`);
    return [];
  }
}

function sharedValues(folder: string, providers: ReadonlyMap<string, Provider>): string[] {
  const files = new Map<string, string>();
  const problems: string[] = [];
  for (const [file, { suffixes, networks }] of providers)
    for (const { value } of [...suffixes, ...networks]) {
      const first = files.get(value);
      if (first === undefined) files.set(value, file);
      else if (first === file) problems.push(`${join(folder, file)} has ${value} twice`);
      else problems.push(`${join(folder, file)} has ${value}, which ${first} has: ${first} wins`);
    }
  return problems;
}

function someOf(problems: readonly string[]): string {
  const more = problems.length - SHOWN_PROBLEMS;
  const shown = problems.slice(0, SHOWN_PROBLEMS).join('; ');
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
