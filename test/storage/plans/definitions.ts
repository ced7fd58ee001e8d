import { subscribe } from 'node:diagnostics_channel';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Query } from '../../../src/storage/unit-of-work.ts';
import { withoutComments } from '../../imports.ts';

/**
 * Every query of the program. `query()` publishes each one where it is defined, and here every file that may define one
 * is imported; a scan of the sources tells whether any was missed, such as one that is defined inside a function.
 */
export interface DefinedQuery {
  readonly query: Query<never, unknown>;
  /** From the root of the repository. */
  readonly file: string;
  /** The name of the constant or property that holds it. Queries that one line defines for many tables share it. */
  readonly name: string;
  /** Where in the file. */
  readonly site: string;
  /** Whether some caller hands it to `each()`, which PostgreSQL runs as one statement for many arguments. */
  readonly isForMany: boolean;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = 'src/{storage,queue}/**/*.ts';
/** A thread, which runs as soon as it is imported. */
const NOT_IMPORTED = /\.test\.ts$|checkpoint-thread\.ts$/;
/** Where queries are made for others to define. */
const MAKERS = ['src/storage/unit-of-work.ts', 'src/storage/checks/check.ts'];
const DEFINITION = /(?<![.#\w])(?:query(?=<|\(\))|statement(?=<|\()|never(?=\())/g;

/** Handed to `each()` by way of a table, so that the name at the call is another. */
const FOR_MANY_BY_INDEX = [
  'src/storage/sql/search/search-text.ts#insertInto',
  'src/storage/sql/search/search-text.ts#deleteFrom',
  'src/storage/sql/samples/uploads.ts#stateBy',
];
const EACH_BY_INDEX = [
  'src/storage/sql/search/search-text.ts#QUERIES[index].insert',
  'src/storage/sql/search/search-text.ts#QUERIES[index].delete',
  'src/storage/sql/samples/uploads.ts#STATES[kind]',
];

interface Site {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Published extends Site {
  readonly query: Query<never, unknown>;
}

export async function definedQueries(): Promise<readonly DefinedQuery[]> {
  const published: Published[] = [];
  subscribe('rapsheet:query', (query) => {
    published.push({ query: query as Query<never, unknown>, ...definingSite() });
  });
  for (const file of sourceFiles()) await import(`${ROOT}${file}`);
  return published.map(({ query, file, line, column }) => {
    const text = readFileSync(ROOT + file, 'utf8');
    const name = nameAt(text, line);
    const isForMany = isHandedToEach(text, name) || FOR_MANY_BY_INDEX.includes(`${file}#${name}`);
    return { query, file, name, site: `${line}:${column}`, isForMany };
  });
}

/** Definitions in the sources that were never published, by file and name. */
export function missedDefinitions(found: readonly DefinedQuery[]): readonly string[] {
  const published = Map.groupBy(found, ({ file, name }) => `${file}#${name}`);
  return sourceFiles()
    .filter((file) => !MAKERS.includes(file))
    .flatMap((file) => {
      const names = Map.groupBy(definitionsIn(file), (name) => `${file}#${name}`);
      return [...names].filter(([key, all]) => {
        const sites = new Set(published.get(key)?.map(({ site }) => site));
        return sites.size < all.length;
      });
    })
    .map(([key]) => key);
}

function definitionsIn(file: string): readonly string[] {
  const text = withoutComments(readFileSync(ROOT + file, 'utf8'));
  return [...text.matchAll(DEFINITION)].map(({ index }) =>
    nameAt(text, text.slice(0, index).split('\n').length),
  );
}

/** Calls of `each()` whose query could not be told from the sources. */
export function unknownCallsOfEach(found: readonly DefinedQuery[]): readonly string[] {
  const known = new Set(found.map(({ file, name }) => `${file}#${name}`));
  return sourceFiles().flatMap((file) => {
    const text = withoutComments(readFileSync(ROOT + file, 'utf8'));
    return [...text.matchAll(/yield\* each\(\s*(?<query>[^,]+),/g)]
      .map(({ groups }) => `${file}#${groups?.['query']?.trim()}`)
      .filter((key) => !known.has(key) && !EACH_BY_INDEX.includes(key));
  });
}

/**
 * Tables that are named in SQL outside the folders of queries: statements that are sent as text, past `query()`. Those of
 * `moving` and `backup` read everything by nature.
 */
export function tablesInRawStatements(tables: readonly string[]): readonly string[] {
  const named = new RegExp(`\\b(?:from|into|update|join) (?<table>${tables.join('|')})\\b`, 'g');
  return globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.test\.ts$|^src\/storage\/(?:sql|checks|moving|backup)\//.test(file))
    .flatMap((file) => {
      const text = withoutComments(readFileSync(ROOT + file, 'utf8'));
      return [...text.matchAll(named)].map(({ groups }) => `${file}: ${groups?.['table']}`);
    });
}

function sourceFiles(): readonly string[] {
  return globSync(FOLDERS, { cwd: ROOT })
    .filter((file) => !NOT_IMPORTED.test(file))
    .sort();
}

function definingSite(): Site {
  const frames = new Error('where').stack?.matchAll(
    /(?<file>src\/[\w/.-]+\.ts):(?<line>\d+):(?<column>\d+)/g,
  );
  for (const { groups } of frames ?? []) {
    const { file = '', line, column } = groups ?? {};
    if (!MAKERS.includes(file)) return { file, line: Number(line), column: Number(column) };
  }
  throw new Error('a query was defined outside the sources');
}

const NAMES = [
  /(?:const |^\s*)(?<name>\w+)(?:: [^=]+)? ?(?:=|:) .*(?:query|statement|never|=>|\[)/,
  /^function (?<name>\w+)\(/,
];

/** That of the last constant, property or function which begins at or before that line and may hold a definition. */
function nameAt(text: string, line: number): string {
  const before = text.split('\n').slice(0, line).reverse();
  for (const one of before) {
    const name = NAMES.map((pattern) => pattern.exec(one)?.groups?.['name']).find(Boolean);
    if (name !== undefined) return name;
  }
  return `line ${line}`;
}

function isHandedToEach(text: string, name: string): boolean {
  return new RegExp(`\\beach\\(\\s*(?:\\w+(?:\\[\\w+\\])*\\.)?${name}\\b`).test(text);
}
