import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type pg from 'pg';
import type { ReportFilter } from '../../../src/domain/reports/feed-filter.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { Statements } from '../../../src/storage/postgres/statements.ts';
import { listNumbers } from '../../../src/storage/tables/reports/listing/list-reports.ts';
import type { SingleStep } from '../../../src/storage/units/steps.ts';
import type { UnitOfWork } from '../../../src/storage/units/unit-of-work.ts';
import { newStoreDatabase } from '../../postgres.ts';
import { literal, type Plan, rowsRead } from '../plans/postgres-plan.ts';
import { growingPairs, LARGE, pagesOf, pairStatements, SMALL } from './pair-store.ts';

/** Reports and index rows that the most expensive of three pages reads. */
const MAX_ROWS = 6000;

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Explains every statement of a store before it runs, and counts the rows that it reads. */
class RowCounter {
  readonly #client: pg.PoolClient;
  readonly #close: () => Promise<void>;
  readonly #statements = new Statements();
  #rows = 0;

  private constructor(client: pg.PoolClient, close: () => Promise<void>) {
    this.#client = client;
    this.#close = close;
  }

  static async open(reports: number): Promise<RowCounter> {
    const database = await newStoreDatabase();
    await database.run(pairStatements('postgres', reports).join(';'));
    await database.run('vacuum analyze');
    const { pools } = await openPostgres(database.url, 2);
    const client = await pools.reads.connect();
    return new RowCounter(client, async () => {
      client.release(true);
      await pools.end();
      await database.drop();
    });
  }

  readonly pages = async (filter: ReportFilter) => {
    let most = 0;
    for (const page of pagesOf(filter)) {
      const earlier = this.#rows;
      await this.#perform(listNumbers(page));
      most = Math.max(most, this.#rows - earlier);
    }
    return most;
  };

  async #perform<Result>(work: UnitOfWork<Result>): Promise<Result> {
    let result = work.next([]);
    while (!result.done) {
      const { value: step } = result;
      if (step.kind !== 'parallel') result = work.next(await this.#run(step));
      else {
        const answers: (readonly unknown[])[] = [];
        for (const one of step.steps) answers.push(await this.#run(one));
        result = work.next(answers);
      }
    }
    return result.value;
  }

  #run(step: SingleStep): Promise<readonly unknown[]> {
    assert.ok(step.kind === 'query' || step.kind === 'each');
    const query = async (sent: Sent | string, values?: unknown[]) => {
      if (typeof sent === 'string') return await this.#client.query(sent, values);
      await this.#explain(sent);
      return await this.#client.query({ ...sent, values: [...sent.values] });
    };
    return this.#statements.run({ query } as unknown as pg.ClientBase, step);
  }

  /** The generic plan, which is that of the store's connections. */
  async #explain({ text, values }: Sent): Promise<void> {
    const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    await this.#client.query(`prepare planned as ${text}`);
    const { rows } = await this.#client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, timing off, format json) execute planned${given}`,
    );
    await this.#client.query('deallocate planned');
    this.#rows += rowsRead(rows[0]?.['QUERY PLAN'][0].Plan ?? assert.fail());
  }

  close(): Promise<void> {
    return this.#close();
  }
}

describe('two filters on PostgreSQL', () => {
  let small: RowCounter;
  let large: RowCounter;
  before(async () => {
    small = await RowCounter.open(SMALL);
    large = await RowCounter.open(LARGE);
  });
  after(async () => {
    await small.close();
    await large.close();
  });

  it('read as many rows for a page in a store of any size', async (test) => {
    const { growing, most } = await growingPairs(small.pages, large.pages, MAX_ROWS);
    test.diagnostic(`at most ${most} rows`);
    assert.equal(growing.join('\n'), '');
  });
});
