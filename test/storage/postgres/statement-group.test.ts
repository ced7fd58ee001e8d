import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { ArrayArgument } from '../../../src/storage/postgres/array-bytes.ts';
import { runStatements } from '../../../src/storage/postgres/statement-group.ts';
import { createStore } from '../../../src/storage/stores/store.ts';
import { newDatabase, type TestDatabase } from '../../postgres.ts';
import { testForms } from '../contracts/store-contract.ts';
import { addFeed, addReader, lookUp, Nodes, newReport } from './nodes.ts';

const statement = (name: string, text: string, ...values: unknown[]) => ({ name, text, values });
const BEGIN = statement('begin', 'begin');
const INSERT = statement('insert', 'insert into noted (id) values ($1)', 1);
const COUNT = statement('count', 'select count(*) as count from noted');
const FAILING = statement('fail', 'select 1 / $1::int as quotient', 0);

/** The messages that the driver has to send, without `bind` and `execute`. */
type Sent = Record<'parse' | 'describe' | 'sync', number>;

describe('a group of statements', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let sent: Sent;
  before(async () => {
    database = await newDatabase();
    await database.run('create table noted (id bigint primary key)');
  });
  after(() => database.drop());

  /** A new connection for each pipeline mode. */
  async function connect(pipeline: boolean): Promise<void> {
    client = new pg.Client({ connectionString: database.url, pipeline });
    await client.connect();
    sent = { parse: 0, describe: 0, sync: 0 };
    const { connection } = client as unknown as { connection: Record<string, () => void> };
    for (const name of ['parse', 'describe', 'sync'] as const) {
      const send = connection[name]?.bind(connection);
      connection[name] = (...message: unknown[]) => {
        sent[name] += 1;
        (send as (...args: unknown[]) => void)(...message);
      };
    }
  }

  for (const pipeline of [true, false])
    describe(pipeline ? 'on a pipelined connection' : 'on another connection', () => {
      before(() => connect(pipeline));
      after(() => client.end());

      it('returns the rows of each in one round trip, and is prepared and described once', async () => {
        const typed = statement(
          'typed',
          `select $1::bigint as number, $2::text as text, null as nothing, $3::bytea as bytes,
            $4::int[] as list, $5::text[] as texts, $6::bigint[]::text as numbers,
            $7::timestamptz[]::text as times, $8::bytea[]::text as all_bytes,
            timestamptz '2026-01-02 03:04:05.6+00' as at`,
          2 ** 40,
          'ä',
          new Uint8Array([0, 255]),
          new ArrayArgument('integer', [1, 2]),
          new ArrayArgument('text', ['a', null]),
          new ArrayArgument('bigint', [-1, 2 ** 52]),
          new ArrayArgument('timestamp with time zone', ['1999-12-31T23:59:59.999Z']),
          new ArrayArgument('bytea', [new Uint8Array([1, 2])]),
        );
        const row = {
          number: 2 ** 40,
          text: 'ä',
          nothing: null,
          bytes: Buffer.from([0, 255]),
          list: [1, 2],
          texts: ['a', null],
          numbers: '{-1,4503599627370496}',
          times: '{"1999-12-31 23:59:59.999+00"}',
          all_bytes: String.raw`{"\\x0102"}`,
          at: '2026-01-02T03:04:05.600Z',
        };
        const many = statement('many', 'select generate_series(1, 3) as number');
        const numbers = [{ number: 1 }, { number: 2 }, { number: 3 }];
        await client.query('set timezone = UTC');
        const expected = [[], [row], numbers, numbers, []];
        const commit = statement('commit', 'commit');
        const group = [BEGIN, typed, many, many, commit];
        assert.deepEqual(await runStatements(client, group), expected);
        assert.deepEqual(sent, { parse: 4, describe: 5, sync: 1 });
        assert.deepEqual(await runStatements(client, group), expected);
        assert.deepEqual(sent, { parse: 4, describe: 5, sync: 2 });
      });

      it('skips those after one that fails', async () => {
        const failing = runStatements(client, [FAILING, BEGIN, INSERT]);
        await assert.rejects(failing, { code: '22012' });
        // They are prepared now: the server had skipped that, too.
        const [, , counted] = await runStatements(client, [BEGIN, INSERT, COUNT]);
        assert.deepEqual(counted, [{ count: 1 }]);
        await client.query('rollback');
        assert.deepEqual(await database.run('select from noted'), []);
      });

      it('can be sent again after a text that cannot be prepared', async () => {
        const wrong = statement('wrong', 'select nothing from nowhere');
        const next = statement('next', 'select 1 as one');
        for (let turn = 0; turn < 2; turn += 1)
          await assert.rejects(runStatements(client, [wrong, next]), { code: '42P01' });
        assert.deepEqual(await runStatements(client, [next, next]), [[{ one: 1 }], [{ one: 1 }]]);
      });

      it('fails if a value cannot be sent, and leaves the connection usable', async () => {
        const date = statement('date', 'select $1::text as text', new Date(0));
        await assert.rejects(runStatements(client, [COUNT, date, COUNT]), /cannot be bound/);
        assert.deepEqual(await runStatements(client, [COUNT]), [[{ count: 0 }]]);
        const text = { ...date, values: ['text'] };
        assert.deepEqual(await runStatements(client, [text]), [[{ text: 'text' }]]);
      });
    });

  it('fails if the connection is lost', async () => {
    await connect(true);
    client.on('error', () => undefined);
    const sleeping = runStatements(client, [statement('sleep', 'select pg_sleep(60)'), COUNT]);
    const failed = assert.rejects(sleeping, { code: '57P01' });
    // Other tests share the server, and some of them send the same statement.
    const found = `select pg_terminate_backend(pid) from pg_stat_activity
      where query = $1 and datname = current_database()`;
    while ((await database.run(found, ['select pg_sleep(60)'])).length === 0);
    await failed;
  });
});

describe('the round trips of a batch', () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await Nodes.open();
  });
  after(() => nodes.close());

  it('are three for lookups of unknown files, and for creates', async () => {
    let trips = 0;
    const runner = await nodes.addRunner('', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => never;
      client.query = (...args: unknown[]) => {
        trips += 1;
        return query(...args);
      };
    });
    const store = createStore(runner, testForms);
    const [account, feed] = [await addReader(store, 100), await addFeed(store)];
    let host = 0;
    const create = () => store.reports.create(newReport(feed, account, `host${++host}.example`));
    const tripsOf = async (call: () => Promise<unknown>) => {
      // The first batches compile statements, and write the name that all reports have.
      for (let turn = 0; turn < 2; turn += 1) await Promise.all([call(), call(), call()]);
      trips = 0;
      await Promise.all([call(), call(), call()]);
      return trips;
    };
    // The last one is the commit. An unknown file may be an upload, so these are read, too.
    assert.deepEqual([await tripsOf(() => lookUp(store, account)), await tripsOf(create)], [3, 3]);
  });
});
