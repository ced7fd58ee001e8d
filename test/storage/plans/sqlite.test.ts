import assert from 'node:assert/strict';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { MeasuredStatement } from '../replans.ts';
import {
  type DefinedQuery,
  definedQueries,
  missedDefinitions,
  tablesInRawStatements,
  unknownCallsOfEach,
} from './definitions.ts';
import {
  BOUNDED_TABLES,
  type Exception,
  exceptionOf,
  isListed,
  NOT_FILLED,
  NOT_RUN,
} from './exceptions.ts';
import { fillStatements } from './large-store.ts';
import { parametersOf } from './parameters.ts';

const ROWS = 4000;
/** Steps of SQLite's virtual machine. Scanning a table takes at least three for each row. */
const MAX_STEPS = 5000;
/** Arrays of parameters, and subqueries with a limit. */
const SHORT_LISTS = [
  'wanted',
  'newest',
  'scanned',
  'page',
  'counted',
  'waiting',
  'ready',
  'endless',
  'limited',
  'CONSTANT',
];

interface Statement {
  readonly key: string;
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly exception: Exception;
}

let found: readonly DefinedQuery[];
let statements: readonly Statement[];
let empty: DatabaseSync;
let large: DatabaseSync;

before(async () => {
  found = await definedQueries();
  // Imported late, because imports publish queries.
  const { openDatabase } = await import('../../../src/storage/sqlite/open.ts');
  const { PARAMETERS, Parameter } = await import('../../../src/storage/query-builder.ts');
  const { queryBuilder } = await import('../../../src/storage/sqlite/query-builder.ts');
  statements = found
    .filter(({ file, name }) => !isListed(NOT_RUN, file, name))
    .map(({ query, file, name }) => {
      const { sql, parameters } = query
        .build(queryBuilder, PARAMETERS as never, 'sqlite')
        .compile();
      const known = parametersOf(file, name);
      const values = parameters.map((one) => (one instanceof Parameter ? known[one.name] : one));
      const missing = parameters.filter(
        (one) => one instanceof Parameter && known[one.name] === undefined,
      );
      assert.deepEqual(
        missing,
        [],
        `${file}#${name}: add its parameters to test/storage/plans/parameters.ts`,
      );
      return {
        key: `${file}#${name}`,
        sql,
        values,
        exception: exceptionOf(file, name) ?? { why: '' },
      };
    });
  empty = openDatabase(':memory:');
  large = openDatabase(':memory:');
  large.exec('begin');
  for (const sql of fillStatements('sqlite', ROWS)) large.exec(sql);
  large.exec('commit');
});

after(() => {
  empty.close();
  large.close();
});

function growingTables(): readonly string[] {
  return large
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => name !== 'migration' && !BOUNDED_TABLES.includes(name));
}

function planOf(db: DatabaseSync, sql: string): readonly string[] {
  return db
    .prepare(`explain query plan ${sql}`)
    .all()
    .map((row) => String(row['detail']));
}

/** Runs the statement in a transaction that is rolled back. */
function stepsOf(db: DatabaseSync, { sql, values }: Statement): number {
  const prepared = db.prepare(sql) as MeasuredStatement;
  db.exec('begin');
  try {
    prepared.all(...(values as SQLInputValue[]));
    return prepared.stat('vmStep');
  } finally {
    db.exec('rollback');
  }
}

/** SQLite plans a statement again after binding a value that its plan may depend on. */
function replansOf(db: DatabaseSync, { sql, values }: Statement): number {
  const prepared = db.prepare(sql) as MeasuredStatement;
  db.exec('begin');
  try {
    prepared.all(...(values as SQLInputValue[]));
    return prepared.stat('reprepare');
  } finally {
    db.exec('rollback');
  }
}

function isFullScan(line: string): boolean {
  const table = /^SCAN (?<table>\w+)\b(?! VIRTUAL TABLE)/.exec(line)?.groups?.['table'];
  return table !== undefined && ![...BOUNDED_TABLES, ...SHORT_LISTS].includes(table);
}

describe('the queries of the store', () => {
  it('are all known to this test', () => {
    assert.deepEqual(
      missedDefinitions(found),
      [],
      'these were not defined while their files were imported: define queries at the top of a file, not inside functions that run later',
    );
    assert.deepEqual(unknownCallsOfEach(found), [], 'name the query in the call of each()');
  });

  it('are the only statements on tables that grow', () => {
    assert.deepEqual(tablesInRawStatements(growingTables()), [], 'define them with query()');
  });
});

describe('SQLite', () => {
  it('has rows in every table that grows', () => {
    const isEmpty = (table: string) =>
      large.prepare(`select 1 from "${table}" limit 1`).get() === undefined;
    assert.deepEqual(
      growingTables().filter((table) => !(table in NOT_FILLED) && isEmpty(table)),
      [],
      'fill them in test/storage/plans/large-store.ts',
    );
  });

  it('needs no statistics', () => {
    const tables = large.prepare("select name from sqlite_schema where name like 'sqlite_stat%'");
    assert.deepEqual(tables.all(), []);
  });

  it('scans no growing table, and sorts no growing result', () => {
    const wrong = statements.flatMap(({ key, sql, exception: { scans, sorts } }) => {
      const plan = planOf(large, sql);
      const isWrong =
        (!scans && plan.some(isFullScan)) ||
        (!sorts && plan.some((line) => line.includes('TEMP B-TREE'))) ||
        plan.some((line) => line.includes('AUTOMATIC'));
      return isWrong ? [`${key}: ${plan.join('; ')}`] : [];
    });
    assert.equal(wrong.join('\n'), '');
  });

  it('uses the same plan for every statement, for any number of rows', () => {
    for (const { key, sql } of statements)
      assert.deepEqual(planOf(large, sql), planOf(empty, sql), key);
  });

  it('plans every statement once, not again at each execution', () => {
    const replanned = statements.filter((one) => replansOf(large, one) > 0);
    assert.deepEqual(
      replanned.map(({ key, sql }) => `${key}: ${sql}`),
      [],
    );
  });

  it(`takes a bounded number of steps for every statement`, (test) => {
    const steps = statements.map((one) => ({ ...one, steps: stepsOf(large, one) }));
    const wrong = steps
      .filter((one) => one.steps > (one.exception.steps ?? MAX_STEPS))
      .map(
        ({ key, steps: taken, sql }) => `${key}: ${taken} steps: ${planOf(large, sql).join('; ')}`,
      );
    assert.equal(wrong.join('\n'), '');
    test.diagnostic(
      `${statements.length} statements of ${found.length} queries were run on SQLite`,
    );
    assert.ok(statements.length > 200);
  });
});
