import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { columnTypes } from '../../../src/storage/postgres/columns.ts';
import { runStatements } from '../../../src/storage/postgres/statement-pipeline.ts';
import { newDatabase, type TestDatabase } from '../../postgres.ts';

const statement = (name: string, text: string, ...values: unknown[]) => ({ name, text, values });
const BEGIN = statement('begin', 'begin');
const INSERT = statement('insert', 'insert into noted (id) values ($1)', 1);
const COUNT = statement('count', 'select count(*) as count from noted');
const FAILING = statement('fail', 'select 1 / $1::int as quotient', 0);

describe('a pipeline of statements', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await newDatabase();
    await database.run('create table noted (id bigint primary key)');
  });
  after(() => database.drop());
  beforeEach(connect);
  afterEach(() => client.end());

  async function connect(): Promise<void> {
    client = new pg.Client({
      connectionString: database.url,
      types: columnTypes,
      pipeline: true,
      options: '-c timezone=UTC',
    });
    client.on('error', () => undefined);
    await client.connect();
  }

  it('returns the rows of each, as often as it is sent', async () => {
    const typed = statement(
      'typed',
      `select $1::bigint as number, $2::text as text, null as nothing, $3::bytea as bytes,
        $4::int[] as list, $5::text[] as texts, $6::bigint[]::text as numbers,
        $7::timestamptz[]::text as times, $8::bytea[]::text as all_bytes,
        timestamptz '2026-01-02 03:04:05.6+00' as at`,
      2 ** 40,
      'ä',
      new Uint8Array([0, 255]),
      [1, 2],
      ['a "b" \\ {c},', null],
      [-1, 2 ** 52],
      ['1999-12-31T23:59:59.999Z'],
      [new Uint8Array([1, 2])],
    );
    const row = {
      number: 2 ** 40,
      text: 'ä',
      nothing: null,
      bytes: Buffer.from([0, 255]),
      list: [1, 2],
      texts: ['a "b" \\ {c},', null],
      numbers: '{-1,4503599627370496}',
      times: '{"1999-12-31 23:59:59.999+00"}',
      all_bytes: String.raw`{"\\x0102"}`,
      at: '2026-01-02T03:04:05.600Z',
    };
    const many = statement('many', 'select generate_series(1, 2) as number, 3 as number');
    const objects = [{ number: 3 }, { number: 3 }];
    const arrays = [
      [1, 3],
      [2, 3],
    ];
    const commit = statement('commit', 'commit');
    const all = [BEGIN, typed, many, { ...many, returnsArrays: true }, commit];
    for (let times = 0; times < 2; times += 1)
      assert.deepEqual(await runStatements(client, all), [[], [row], objects, arrays, []]);
  });

  it('executes nothing after one that fails in its transaction, and gives its error', async () => {
    for (let times = 0; times < 2; times += 1) {
      const failing = runStatements(client, [BEGIN, FAILING, INSERT]);
      await assert.rejects(failing, { code: '22012' });
      await client.query('rollback');
    }
    // It is prepared now: the server had refused that, too.
    const [, , counted] = await runStatements(client, [BEGIN, INSERT, COUNT]);
    assert.deepEqual(counted, [{ count: 1 }]);
    await client.query('rollback');
    assert.deepEqual(await database.run('select from noted'), []);
  });

  it('can be sent again after a text that cannot be prepared', async () => {
    const wrong = statement('wrong', 'select nothing from nowhere');
    const next = statement('next', 'select 1 as one');
    for (let times = 0; times < 2; times += 1)
      await assert.rejects(runStatements(client, [wrong, next]), { code: '42P01' });
    assert.deepEqual(await runStatements(client, [next, next]), [[{ one: 1 }], [{ one: 1 }]]);
  });

  it('fails if the connection is lost', async () => {
    const sleeping = runStatements(client, [statement('sleep', 'select pg_sleep(60)'), COUNT]);
    const failed = assert.rejects(sleeping, { code: '57P01' });
    // Other tests share the server, and some of them send the same statement.
    const found = `select pg_terminate_backend(pid) from pg_stat_activity
      where query = $1 and datname = current_database()`;
    while ((await database.run(found, ['select pg_sleep(60)'])).length === 0);
    await failed;
  });
});
