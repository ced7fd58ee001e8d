import { subscribe } from 'node:diagnostics_channel';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Query } from '../../../src/storage/units/query.ts';
import { withoutComments } from '../../imports.ts';

/**
 * Every query of the program. `query()` publishes its definitions, and this file imports every file
 * that may have one. A scan of the sources finds missed ones, such as one that is defined inside a
 * function.
 */
export interface DefinedQuery {
  readonly query: Query<never, unknown>;
  /** From the root of the repository. */
  readonly file: string;
  /**
   * The constant or property of the query. Queries that one line defines for many tables share it.
   */
  readonly name: string;
  /** Line and column in the file. */
  readonly site: string;
  /**
   * Whether it is passed to `each()`, which PostgreSQL runs as one statement for many parameters.
   */
  readonly isForMany: boolean;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = 'src/{storage,queue}/**/*.ts';
const NOT_IMPORTED = /\.test\.ts$/;
/** Files with functions that define queries for others. */
const FACTORIES = ['src/storage/units/query.ts', 'src/storage/checks/check.ts'];
const DEFINITION = /(?<![.#\w])(?:query(?=<|\(\))|statement(?=<|\()|never(?=\())/g;

/** Passed to `each()` through a table, so that the name at the call differs. */
const FOR_MANY_BY_INDEX = [
  'src/storage/tables/search/search-text.ts#insertInto',
  'src/storage/tables/search/search-text.ts#deleteFrom',
  'src/storage/tables/samples/uploads.ts#stateBy',
];
const EACH_BY_INDEX = [
  'src/storage/tables/search/search-text.ts#QUERIES[index].insert',
  'src/storage/tables/search/search-text.ts#QUERIES[index].delete',
  'src/storage/tables/samples/uploads.ts#STATES[kind]',
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
  const forMany = new Set([...callsOfEach(), ...FOR_MANY_BY_INDEX]);
  return published.map(({ query, file, line, column }) => {
    const name = nameAt(readFileSync(ROOT + file, 'utf8'), line);
    const isForMany = forMany.has(`${file}#${name}`);
    return { query, file, name, site: `${line}:${column}`, isForMany };
  });
}

/** Definitions in the sources that were never published, by file and name. */
export function missedDefinitions(found: readonly DefinedQuery[]): readonly string[] {
  const published = Map.groupBy(found, ({ file, name }) => `${file}#${name}`);
  return sourceFiles()
    .filter((file) => !FACTORIES.includes(file))
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

/** Calls of `each()` whose query the scan cannot identify. */
export function unknownCallsOfEach(found: readonly DefinedQuery[]): readonly string[] {
  const known = new Set(found.map(({ file, name }) => `${file}#${name}`));
  return callsOfEach().filter((key) => !known.has(key) && !EACH_BY_INDEX.includes(key));
}

/** The queries that `each()` is called with, by the files that define them. */
function callsOfEach(): readonly string[] {
  return sourceFiles().flatMap((file) => {
    const text = withoutComments(readFileSync(ROOT + file, 'utf8'));
    return [...text.matchAll(/\beach\(\s*(?<query>[\w.[\]]+),/g)].map(({ groups }) => {
      const name = groups?.['query'] ?? '';
      return `${importedFrom(file, text, name) ?? file}#${name}`;
    });
  });
}

function importedFrom(file: string, text: string, name: string): string | undefined {
  const statement = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '(?<from>\\.[^']+)'`);
  const from = statement.exec(text)?.groups?.['from'];
  return from && posix.join(posix.dirname(file), from);
}

/**
 * Tables in SQL text outside the folders of queries, which bypasses `query()`. Statements of
 * `moving`, `backup` and `snapshots` read everything by nature; those on the tables of pg-boss have
 * their own test.
 */
export function tablesInRawStatements(tables: readonly string[]): readonly string[] {
  const named = new RegExp(`\\b(?:from|into|update|join) (?<table>${tables.join('|')})\\b`, 'g');
  return globSync('src/**/*.ts', { cwd: ROOT })
    .filter(
      (file) =>
        !/\.test\.ts$|^src\/storage\/(?:tables|transactions|units|checks|moving|backup|snapshots)\//.test(
          file,
        ),
    )
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
    if (!FACTORIES.includes(file)) return { file, line: Number(line), column: Number(column) };
  }
  throw new Error('a query was defined outside the sources');
}

const NAMES = [
  /(?:const |^\s*)(?<name>\w+)(?:: [^=]+)? ?(?:=|:) .*(?:query|statement|never|=>|\[)/,
  /^function (?<name>\w+)\(/,
];

/** The last constant, property or function at or before that line that may hold a definition. */
function nameAt(text: string, line: number): string {
  const before = text.split('\n').slice(0, line).reverse();
  for (const one of before) {
    const name = NAMES.map((pattern) => pattern.exec(one)?.groups?.['name']).find(Boolean);
    if (name !== undefined) return name;
  }
  return `line ${line}`;
}
