import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { parseFileHash } from '../../src/domain/samples/file-hash.ts';
import type { NewReport } from '../../src/ports/report-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openPools } from '../../src/storage/postgres/pools.ts';
import { PostgresRunner } from '../../src/storage/postgres/runner.ts';
import { storeOver } from '../../src/storage/store.ts';
import { each, query, rows, sideBySide, type UnitOfWork } from '../../src/storage/unit-of-work.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { audit, hex, NOW, newAccount, newToken, testForms } from './contracts/store-contract.ts';
import {
  addFeed,
  addReader,
  type Cut,
  cuttingProxy,
  deafeningProxy,
  hold,
  Nodes,
  outcomeOf,
} from './postgres-nodes.ts';

/** Keeps the server of this file alive between two tests. */
let keeper: TestDatabase;
before(async () => {
  keeper = await newDatabase();
});
after(() => keeper.drop());

let nodes: Nodes;
beforeEach(async () => {
  nodes = await Nodes.open();
});
afterEach(() => nodes.close());

const lookUp = (store: Store, accountId: string) =>
  store.samples.lookUp({ accountId, hash: parseFileHash(hex(32)), now: NOW });

function newReport(service: string, reporterId: string): NewReport {
  return {
    id: randomUUID(),
    service,
    tags: [],
    c2: { host: 'evil.example', port: 443 },
    sha256: hex(32),
    reference: '',
    confidence: 50,
    reporterId,
    reportedBy: 'somebody',
    reportedAt: NOW,
    retry: undefined,
  };
}

/** What tests do on a runner itself. */
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
const sleepFor = (seconds: number) =>
  query()((db) => db.selectNoFrom(sql`pg_sleep(${sql.lit(seconds)})::text`.as('slept')));
const shortSleep = sleepFor(0.02);
const longSleep = sleepFor(30);

async function openRunner(
  settings = '',
  prepare: (client: pg.PoolClient) => void = () => undefined,
): Promise<PostgresRunner> {
  const { connection, pools } = await openPostgres(nodes.database.url, 10);
  await pools.end();
  const options = `${connection.options} ${settings}`;
  const own = openPools({ ...connection, options }, 10);
  for (const pool of [own.gathered, own.reads, own.writes]) pool.on('connect', prepare);
  const runner = new PostgresRunner({
    pools: own,
    connection,
    runJobStep: () => Promise.resolve(),
  });
  nodes.closeLater(() => runner.close());
  return runner;
}

describe('a transaction on PostgreSQL', () => {
  it('that is in a deadlock with another is begun again, and both are done once', async () => {
    const store = await nodes.add();
    const [one, other] = [await addReader(store, 1), await addReader(store, 1)];
    const runner = await openRunner();
    let begun = 0;
    const inOrder = (ids: readonly string[]) =>
      runner.write(function* (): UnitOfWork<void> {
        let isFirst = true;
        for (const id of ids) {
          yield* rows(addUnits, { id, units: 1 });
          if (isFirst) begun += 1;
          isFirst = false;
          // Each has what the other needs before either goes on.
          while (begun < 2) yield* rows(shortSleep, {});
        }
      });
    await Promise.all([inOrder([one, other]), inOrder([other, one])]);
    assert.ok(begun > 2, 'they were never in each other’s way');
    assert.deepEqual([await nodes.unitsUsed(one), await nodes.unitsUsed(other)], [2, 2]);
  });

  it('whose beginning fails changes nothing, whatever was sent behind it', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    let fails = true;
    const runner = await openRunner('', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => never;
      client.query = (text: unknown, ...rest: unknown[]) =>
        query(text === 'begin' && fails ? 'select 1 / 0' : text, ...rest);
    });
    const own = storeOver(runner, testForms);
    const calls = [
      () => lookUp(own, id),
      () => runner.write(() => rows(addUnits, { id, units: 1 })),
      () => runner.write(() => each(addUnits, [{ id, units: 1 }])),
      () =>
        runner.write(() => sideBySide(rows(accountById, { id }), rows(addUnits, { id, units: 1 }))),
    ];
    for (const call of calls) await assert.rejects(call(), { code: '22012' });
    assert.equal(await nodes.unitsUsed(id), 0);
    fails = false;
    for (const call of calls) await call();
    assert.equal(await nodes.unitsUsed(id), 4);
  });

  it('that fails together with what it has sent behind it tells the cause', async () => {
    const runner = await openRunner();
    const failing = runner.write(() =>
      sideBySide(rows(sleepFor(0), {}), rows(divided, {}), rows(accountById, { id: 'x' })),
    );
    await assert.rejects(failing, { code: '22012' });
  });

  it('can be done where another has left its connection in the middle of a failed one', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 1);
    const broken = new Set<pg.PoolClient>();
    const runner = await openRunner('', (client) => {
      // Never waited for, as the end of a read is not.
      client.query('begin').catch(() => undefined);
      client.query('select 1 / 0').catch(() => undefined);
      broken.add(client);
    });
    await runner.write(() => rows(addUnits, { id, units: 1 }));
    assert.deepEqual(await runner.read(() => rows(accountById, { id: 'nobody' })), []);
    assert.ok(broken.size >= 2);
    assert.equal(await nodes.unitsUsed(id), 1);
  });

  it('can use a statement for many on a connection where the making of it was cut off', async () => {
    const runner = await openRunner();
    const both = [{ id: 'x' }, { id: 'y' }];
    const failing = runner.read(() => sideBySide(each(accountById, both), rows(divided, {})));
    await assert.rejects(failing, { code: '22012' });
    for (let turn = 0; turn < 4; turn += 1)
      assert.deepEqual(await runner.read(() => each(accountById, both)), [[], []]);
  });

  it('that needs a statement which another is about to make, behind its lock, makes it itself', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 1);
    const runner = await openRunner();
    let begun = 0;
    const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>();
    let mayGoOn = false;
    const holding = runner.write(function* (): UnitOfWork<void> {
      begun += 1;
      yield* rows(addUnits, { id, units: 1 });
      hasLocked();
      while (!mayGoOn) yield* rows(shortSleep, {});
      yield* each(accountById, [{ id }, { id: 'nobody' }]);
    });
    await locked;
    const waiting = runner.write(function* (): UnitOfWork<void> {
      begun += 1;
      yield* sideBySide(
        rows(addUnits, { id, units: 1 }),
        each(accountById, [{ id }, { id: 'nobody' }]),
      );
    });
    await nodes.untilWaiting(1);
    mayGoOn = true;
    await Promise.all([holding, waiting]);
    assert.equal(begun, 2, 'one was undone because both waited for each other');
    assert.equal(await nodes.unitsUsed(id), 2);
  });

  it('that takes too long is undone, the caller may try again, and others go on', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 1);
    const runner = await openRunner('-c statement_timeout=3000');
    const slow = runner.write(function* (): UnitOfWork<void> {
      yield* rows(addUnits, { id, units: 1 });
      yield* rows(longSleep, {});
    });
    await assert.rejects(slow, { code: 'unavailable' });
    assert.equal(await nodes.unitsUsed(id), 0);
    await runner.write(() => rows(addUnits, { id, units: 1 }));
    assert.equal(await nodes.unitsUsed(id), 1);
  });

  it('that stands still between two statements is begun again, and done once', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    const runner = await openRunner();
    const nobody = new Int32Array(new SharedArrayBuffer(4));
    let begun = 0;
    await runner.write(function* (): UnitOfWork<void> {
      begun += 1;
      yield* rows(addUnits, { id, units: 1 });
      // As on a machine that is too busy: longer than the server waits at first.
      Atomics.wait(nobody, 0, 0, 2000);
      yield* rows(addUnits, { id, units: 1 });
    });
    assert.ok(begun > 1, 'the server ended it at first');
    assert.equal(await nodes.unitsUsed(id), 2);
  });

  it('that waits too long for another is undone, and the caller may try again', async () => {
    const store = await nodes.add();
    const id = await addReader(store, 5);
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const letGo = await hold(holder, `select 1 from account where id = '${id}' for update`);
    assert.equal(await outcomeOf(lookUp(store, id)), 'unavailable');
    await letGo();
    assert.equal(await outcomeOf(lookUp(store, id)), 'served');
    assert.equal(await nodes.unitsUsed(id), 1);
  });
});

describe('lookups on PostgreSQL', () => {
  it('of others go on while the row of one account is locked', async () => {
    const store = await nodes.add();
    const [stuck, free] = [await addReader(store, 5), await addReader(store, 5)];
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const letGo = await hold(holder, `select 1 from account where id = '${stuck}' for update`);
    const waiting = [lookUp(store, stuck), lookUp(store, stuck)].map(outcomeOf);
    for (let turn = 0; turn < 3; turn += 1)
      assert.equal(await outcomeOf(lookUp(store, free)), 'served');
    await letGo();
    assert.deepEqual(await Promise.all(waiting), ['served', 'served']);
    assert.deepEqual([await nodes.unitsUsed(stuck), await nodes.unitsUsed(free)], [2, 3]);
  });

  it('are answered rightly or not at all while connections are killed at random, and paid for once', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const id = await addReader(one, 1500);
    const outcomes: Record<string, number> = {};
    let left = 2000;
    let answered = 0;
    const ask = async (store: Store) => {
      while (left-- > 0) {
        const outcome = await outcomeOf(lookUp(store, id));
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        answered += 1;
      }
    };
    let isDone = false;
    let kills = 0;
    // By what was answered, not by the clock: where connections take long to be made, none would live to be used.
    const killing = (async () => {
      while (!isDone) {
        kills += await nodes.kill(2);
        const next = answered + Math.random() * 20;
        while (!isDone && answered < next) await pause(1);
      }
    })();
    await Promise.all(Array.from({ length: 16 }, (_, turn) => ask(turn % 2 === 0 ? one : other)));
    isDone = true;
    await killing;
    const { served = 0, refused = 0, unavailable = 0 } = outcomes;
    assert.equal(served + refused + unavailable, 2000);
    assert.equal(await nodes.unitsUsed(id), served);
    assert.ok(served <= 1500 && (refused === 0 || served === 1500), JSON.stringify(outcomes));
    assert.ok(kills >= 20, `only ${kills} connections were killed`);
    // One whose connection is lost is tried again: few are ever told of it.
    assert.ok(unavailable < 200, `${unavailable} were not answered`);
  });

  for (const [when, cuts] of [
    ['before its commit', ['before']],
    ['between its commit and the answer', ['after']],
    ['now here, now there', ['before', 'after', 'never', 'after', 'after', 'before']],
  ] as const) {
    it(`are paid for once where the connection is cut ${when}`, async () => {
      const direct = await nodes.add();
      const id = await addReader(direct, 100);
      let isCutting = false;
      let number = 0;
      const nextCut = (): Cut => {
        if (!isCutting) return 'never';
        // Only every other one: whoever asks what became of it must get through.
        number += 1;
        return number % 2 === 1 ? (cuts[((number - 1) / 2) % cuts.length] ?? 'never') : 'never';
      };
      const proxy = await cuttingProxy(nodes.database.url, nextCut);
      nodes.closeLater(proxy.close);
      const store = await nodes.add(proxy.url);
      isCutting = true;
      const outcomes: string[] = [];
      for (let call = 0; call < 20; call += 1) outcomes.push(await outcomeOf(lookUp(store, id)));
      isCutting = false;
      assert.deepEqual(new Set(outcomes), new Set(['served']));
      assert.ok(number >= 20);
      assert.equal(await nodes.unitsUsed(id), 20);
    });
  }

  it('go on while all connections for lists are taken, also for callers who are not known yet', async () => {
    const runner = await openRunner();
    const store = storeOver(runner, testForms);
    const [feed, id] = [await addFeed(store), await addReader(store, 100)];
    const token = newToken();
    await store.tokens.issue(id, token, audit);
    let isOver = false;
    const lists = Array.from({ length: 10 }, () =>
      runner
        .read(() => rows(sleepFor(2), {}))
        .finally(() => {
          isOver = true;
        }),
    );
    assert.ok(await store.access.findCredential(token.digest));
    assert.ok(await store.access.findService(feed));
    assert.equal(await outcomeOf(lookUp(store, id)), 'served');
    assert.equal(await store.reports.fetch(feed, randomUUID()), undefined);
    assert.equal(isOver, false, 'they waited for the lists');
    await Promise.allSettled(lists);
  });

  it('go on while all that write wait for a feed', async () => {
    const store = await nodes.add();
    const [feed, id] = [await addFeed(store), await addReader(store, 1000)];
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const letGo = await hold(holder, `select 1 from service where slug = '${feed}' for update`);
    const waiting = Array.from({ length: 12 }, (_, number) => {
      const report = newReport(feed, id);
      return number % 2 === 0 ? store.reports.create(report) : store.feeds.createMany([report]);
    });
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    for (const one of waiting) void one.then(over, over);
    await pause(200);
    // Soon: those that wait give up after a while.
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 20 }, () => outcomeOf(lookUp(store, id)));
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(['served']));
      assert.notEqual(await store.access.findService(feed), undefined);
    }
    assert.equal(isOver, false, 'they waited');
    await letGo();
    await Promise.all(waiting);
    const made = await nodes.database.run('select last_sequence from service');
    assert.deepEqual(made, [{ last_sequence: '12' }]);
  });
});

describe('nodes of one store on PostgreSQL', () => {
  /** Two that hear each other, or cannot, or could until just now. */
  const DISTURBANCES = {
    '': async () => ({ url: nodes.database.url, disturb: async () => {} }),
    ', also where its word gets lost': async () => {
      const { url, close } = await deafeningProxy(nodes.database.url);
      nodes.closeLater(close);
      return { url, disturb: async () => {} };
    },
    ', also where its connections break': async () => {
      return { url: nodes.database.url, disturb: () => nodes.killWatches() };
    },
  };

  for (const [where, prepare] of Object.entries(DISTURBANCES)) {
    it(`refuse a token within a second of its being revoked on another${where}`, async () => {
      const { url, disturb } = await prepare();
      const [one, other] = [await nodes.add(), await nodes.add(url)];
      const [account, token] = [newAccount(), newToken()];
      await one.accounts.add(account, token, audit);
      const isLive = async () =>
        (await other.access.findCredential(token.digest))?.revoked === false;
      await pause(500);
      assert.ok(await isLive());
      await disturb();
      await one.tokens.revoke(token.id, undefined, audit);
      const revokedAt = performance.now();
      // It is asked all the time, so that it is remembered for as long as it may be.
      for (let askedAt = revokedAt; await isLive(); askedAt = performance.now()) {
        assert.ok(askedAt - revokedAt < 1000, 'it was still taken after a second');
        await pause(5);
      }
      // At once where it was done.
      assert.equal((await one.access.findCredential(token.digest))?.revoked, true);
    });

    it(`tell each other of changes in feeds${where}`, async () => {
      const { url, disturb } = await prepare();
      const [one, other] = [await nodes.add(), await nodes.add(url)];
      const [feed, id] = [await addFeed(one), await addReader(one, 1)];
      // What was announced of its making is past.
      await pause(1500);
      const heard = Promise.withResolvers<void>();
      const stop = other.feeds.onChange((service) => service === feed && heard.resolve());
      await disturb();
      await one.reports.create(newReport(feed, id));
      const late = new AbortController();
      const tooLate = pause(60_000, 'late', { signal: late.signal }).catch(() => 'late');
      assert.equal(await Promise.race([heard.promise, tooLate]), undefined);
      late.abort();
      stop();
    });
  }
});
