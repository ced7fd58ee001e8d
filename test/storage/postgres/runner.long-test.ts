import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { createStore } from '../../../src/storage/stores/store.ts';
import { query } from '../../../src/storage/units/query.ts';
import {
  allInParallel,
  each,
  inParallel,
  rows,
  type UnitOfWork,
} from '../../../src/storage/units/unit-of-work.ts';
import { testForms } from '../contracts/store-contract.ts';
import {
  addReader,
  hold,
  lookUp,
  type Nodes,
  openForEachTest,
  outcomeOf,
  sleepFor,
} from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

const addUnits = query<{ id: string; units: number }>()((db, parameter) =>
  db
    .updateTable('account')
    .set((column) => ({ quota_used: column('quota_used', '+', parameter.units) }))
    .where('id', '=', parameter.id),
);
const accountById = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('account').select('name').where('id', '=', parameter.id),
);
const divided = query()((db) => db.selectNoFrom(sql`1 / 0`.as('none')));
const shortSleep = sleepFor(0.02);
const longSleep = sleepFor(30);

describe('a transaction on PostgreSQL', () => {
  it('that deadlocks with another is retried, and both commit once', async () => {
    const store = await nodes.add();
    const [one, other] = [await addReader(store, 1), await addReader(store, 1)];
    const runner = await nodes.addRunner();
    let starts = 0;
    const inOrder = (ids: readonly string[]) =>
      runner.write(function* (): UnitOfWork<void> {
        let isFirst = true;
        for (const id of ids) {
          yield* rows(addUnits, { id, units: 1 });
          if (isFirst) starts += 1;
          isFirst = false;
          // Both hold a lock that the other needs before either continues.
          while (starts < 2) yield* rows(shortSleep, {});
        }
      });
    await Promise.all([inOrder([one, other]), inOrder([other, one])]);
    assert.ok(starts > 2, 'there was no deadlock');
    assert.deepEqual([await nodes.unitsUsed(one), await nodes.unitsUsed(other)], [2, 2]);
  });

  it('whose `begin` fails changes nothing, although its first step was sent', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    let fails = true;
    const runner = await nodes.addRunner('', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => never;
      client.query = (statement: unknown, ...rest: unknown[]) => {
        const isBegin = fails && (statement as pg.QueryConfig).text === 'begin';
        return query(isBegin ? { name: 'fails', text: 'select 1 / 0' } : statement, ...rest);
      };
    });
    const failing = createStore(runner, testForms);
    const calls = [
      () => lookUp(failing, id),
      () => runner.write(() => rows(addUnits, { id, units: 1 })),
      () => runner.write(() => each(addUnits, [{ id, units: 1 }])),
      () =>
        runner.write(() =>
          allInParallel<unknown>([rows(accountById, { id }), rows(addUnits, { id, units: 1 })]),
        ),
    ];
    for (const call of calls) await assert.rejects(call(), { code: '22012' });
    assert.equal(await nodes.unitsUsed(id), 0);
    fails = false;
    for (const call of calls) await call();
    assert.equal(await nodes.unitsUsed(id), 4);
  });

  it('that fails in a parallel step rejects with the original cause', async () => {
    const runner = await nodes.addRunner();
    const failing = runner.write(() =>
      allInParallel<unknown>([
        rows(sleepFor(0), {}),
        rows(divided, {}),
        rows(accountById, { id: 'x' }),
      ]),
    );
    await assert.rejects(failing, { code: '22012' });
  });

  it('succeeds on a connection that was left in a failed transaction', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 1);
    const broken = new Set<pg.PoolClient>();
    const runner = await nodes.addRunner('', (client) => {
      // Not awaited, like the end of a read.
      client.query('begin').catch(() => undefined);
      client.query('select 1 / 0').catch(() => undefined);
      broken.add(client);
    });
    await runner.write(() => rows(addUnits, { id, units: 1 }));
    assert.deepEqual(await runner.read(() => rows(accountById, { id: 'absent' })), []);
    assert.ok(broken.size >= 2);
    assert.equal(await nodes.unitsUsed(id), 1);
  });

  it('can use a batch statement whose preparation failed before on the connection', async () => {
    const runner = await nodes.addRunner();
    const both = [{ id: 'x' }, { id: 'y' }];
    const failing = runner.read(() =>
      allInParallel<unknown>([each(accountById, both), rows(divided, {})]),
    );
    await assert.rejects(failing, { code: '22012' });
    for (let round = 0; round < 4; round += 1)
      assert.deepEqual(await runner.read(() => each(accountById, both)), [[], []]);
  });

  it('does not wait for the preparation of a batch statement by a transaction that it blocks', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 1);
    // A lock that is awaited for long on a busy machine is no deadlock.
    const runner = await nodes.addRunner('', (client) => {
      client.query("set lock_timeout = '60s'").catch(() => undefined);
    });
    let starts = 0;
    const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>();
    let mayContinue = false;
    const holding = runner.write(function* (): UnitOfWork<void> {
      starts += 1;
      yield* rows(addUnits, { id, units: 1 });
      hasLocked();
      while (!mayContinue) yield* rows(shortSleep, {});
      yield* each(accountById, [{ id }, { id: 'absent' }]);
    });
    await locked;
    const waiting = runner.write(function* (): UnitOfWork<void> {
      starts += 1;
      yield* inParallel({
        units: rows(addUnits, { id, units: 1 }),
        accounts: each(accountById, [{ id }, { id: 'absent' }]),
      });
    });
    await nodes.untilWaiting(1);
    mayContinue = true;
    await Promise.all([holding, waiting]);
    assert.equal(starts, 2, 'one was retried after a deadlock');
    assert.equal(await nodes.unitsUsed(id), 2);
  });

  it('that takes too long is rolled back and refused as unavailable, and others succeed', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 1);
    const runner = await nodes.addRunner('-c statement_timeout=3000');
    const slow = runner.write(function* (): UnitOfWork<void> {
      yield* rows(addUnits, { id, units: 1 });
      yield* rows(longSleep, {});
    });
    await assert.rejects(slow, { code: 'unavailable' });
    assert.equal(await nodes.unitsUsed(id), 0);
    await runner.write(() => rows(addUnits, { id, units: 1 }));
    assert.equal(await nodes.unitsUsed(id), 1);
  });

  it('that is idle between two statements is retried, and commits once', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    const runner = await nodes.addRunner();
    const idle = new Int32Array(new SharedArrayBuffer(4));
    let starts = 0;
    await runner.write(function* (): UnitOfWork<void> {
      starts += 1;
      yield* rows(addUnits, { id, units: 1 });
      // As on an overloaded machine: longer than the first idle timeout.
      Atomics.wait(idle, 0, 0, 2000);
      yield* rows(addUnits, { id, units: 1 });
    });
    assert.ok(starts > 1, 'the server ended the first attempt');
    assert.equal(await nodes.unitsUsed(id), 2);
  });

  it('that waits too long for a lock is rolled back and refused as unavailable', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const release = await hold(holder, `select 1 from account where id = '${id}' for update`);
    assert.equal(await outcomeOf(lookUp(store, id)), 'unavailable');
    await release();
    assert.equal(await outcomeOf(lookUp(store, id)), 'served');
    assert.equal(await nodes.unitsUsed(id), 1);
  });
});
