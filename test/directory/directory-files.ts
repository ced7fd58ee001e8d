import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../directory');

export interface Fact {
  readonly value: string;
  readonly source: string;
  readonly date: string;
}

export interface ProviderFile {
  readonly name: string;
  readonly kind: string;
  readonly suffixes?: readonly Fact[];
  readonly networks?: readonly Fact[];
  readonly mail?: Fact;
  readonly form?: Fact;
  readonly feed?: Fact;
}

export interface DirectoryEntry {
  /** The file without its ending. */
  readonly slug: string;
  readonly text: string;
  readonly provider: ProviderFile;
}

export function readSchema(): object {
  return JSON.parse(readFileSync(join(FOLDER, 'schema.json'), 'utf8'));
}

export function readEntries(): readonly DirectoryEntry[] {
  return globSync('*.json', { cwd: FOLDER, exclude: ['schema.json'] })
    .sort()
    .map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      return { slug: basename(file, '.json'), text, provider: JSON.parse(text) };
    });
}

export function factsOf(provider: ProviderFile): readonly Fact[] {
  const { suffixes = [], networks = [], mail, form, feed } = provider;
  return [...suffixes, ...networks, mail, form, feed].filter((fact) => fact !== undefined);
}
