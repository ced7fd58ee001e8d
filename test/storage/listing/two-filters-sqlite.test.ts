import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { ReportFilter } from '../../../src/domain/reports/feed-filter.ts';
import { Statements } from '../../../src/storage/sqlite/statements.ts';
import { listNumbers } from '../../../src/storage/tables/reports/listing/list-reports.ts';
import { openMemoryDatabase } from '../../empty-store.ts';
import type { MeasuredStatement } from '../replans.ts';
import { growingPairs, LARGE, pagesOf, pairStatements, SMALL } from './pair-store.ts';

/** Steps of SQLite's virtual machine for the slowest of three pages: some 1,200 reports. */
const MAX_STEPS = 100_000;

/** Counts the steps of all statements of a store. */
class StepCounter {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #prepared: MeasuredStatement[] = [];

  constructor(reports: number) {
    this.#db = openMemoryDatabase();
    this.#db.exec('begin');
    for (const sql of pairStatements('sqlite', reports)) this.#db.exec(sql);
    this.#db.exec('commit');
    const prepare = this.#db.prepare.bind(this.#db);
    this.#db.prepare = (sql) => {
      const statement = prepare(sql) as MeasuredStatement;
      this.#prepared.push(statement);
      return statement;
    };
    this.#statements = new Statements(this.#db);
  }

  readonly pages = (filter: ReportFilter) =>
    Math.max(
      ...pagesOf(filter).map((page) => {
        const earlier = this.#steps();
        this.#statements.perform(listNumbers(page));
        return this.#steps() - earlier;
      }),
    );

  #steps(): number {
    return this.#prepared.reduce((sum, statement) => sum + statement.stat('vmStep'), 0);
  }

  close(): void {
    this.#db.close();
  }
}

describe('two filters on SQLite', () => {
  let small: StepCounter;
  let large: StepCounter;
  before(() => {
    small = new StepCounter(SMALL);
    large = new StepCounter(LARGE);
  });
  after(() => {
    small.close();
    large.close();
  });

  it('cost the same in a store of any size', async (test) => {
    const { growing, most } = await growingPairs(small.pages, large.pages, MAX_STEPS);
    test.diagnostic(`at most ${most} steps`);
    assert.equal(growing.join('\n'), '');
  });
});
