import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../../../src/ports/store.ts';
import { createStore } from '../../../src/storage/stores/store.ts';
import { rows } from '../../../src/storage/units/unit-of-work.ts';
import { until } from '../../until.ts';
import { audit, newToken, testForms } from '../contracts/store-contract.ts';
import {
  addFeed,
  addReader,
  type Cut,
  cuttingProxy,
  hold,
  lookUp,
  type Nodes,
  newReport,
  openForEachTest,
  outcomeOf,
  sleepFor,
} from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

/** Shorter than the statement timeout. Cancelled when the test has seen enough. */
const longSleep = sleepFor(12);
const CANCEL_SLEEP = `select pg_cancel_backend(pid) from pg_stat_activity
  where datname = current_database() and wait_event = 'PgSleep'`;

describe('lookups on PostgreSQL', () => {
  it('of other accounts are served while the row of one account is locked', async () => {
    const store = await nodes.add();
    const [stuck, free] = [await addReader(store, 5), await addReader(store, 5)];
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const release = await hold(holder, `select 1 from account where id = '${stuck}' for update`);
    const waiting = [lookUp(store, stuck), lookUp(store, stuck)].map(outcomeOf);
    for (let index = 0; index < 3; index += 1)
      assert.equal(await outcomeOf(lookUp(store, free)), 'served');
    await release();
    assert.deepEqual(await Promise.all(waiting), ['served', 'served']);
    assert.deepEqual([await nodes.unitsUsed(stuck), await nodes.unitsUsed(free)], [2, 3]);
  });

  it('are charged once and never answered wrongly while connections are killed at random', async () => {
    const [one, other] = [await nodes.add(), await nodes.add()];
    const id = await addReader(one, 1500);
    const outcomes: Record<string, number> = {};
    let remaining = 2000;
    let answered = 0;
    const ask = async (store: Store) => {
      while (remaining-- > 0) {
        const outcome = await outcomeOf(lookUp(store, id));
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        answered += 1;
      }
    };
    let isDone = false;
    let kills = 0;
    // Paced by answers, not by time: on a slow machine no connection would live to be used.
    const killing = (async () => {
      while (!isDone) {
        kills += await nodes.kill(2);
        const next = answered + Math.random() * 20;
        while (!isDone && answered < next) await pause(1);
      }
    })();
    await Promise.all(Array.from({ length: 16 }, (_, index) => ask(index % 2 === 0 ? one : other)));
    isDone = true;
    await killing;
    const { served = 0, refused = 0, unavailable = 0 } = outcomes;
    assert.equal(served + refused + unavailable, 2000);
    assert.equal(await nodes.unitsUsed(id), served);
    assert.equal(await nodes.unitsCharged(id), served);
    assert.ok(served <= 1500 && (refused === 0 || served === 1500), JSON.stringify(outcomes));
    assert.ok(kills >= 20, `only ${kills} connections were killed`);
    // A call whose connection is lost is retried, so few callers notice.
    assert.ok(unavailable < 200, `${unavailable} were not answered`);
  });

  for (const [when, cuts] of [
    ['before its commit', ['before']],
    ['between its commit and the answer', ['after']],
    ['at changing moments', ['before', 'after', 'never', 'after', 'after', 'before']],
  ] as const) {
    it(`are charged once if the connection is cut ${when}`, async () => {
      const direct = await nodes.add();
      const id = await addReader(direct, 100);
      let isCutting = false;
      let number = 0;
      const nextCut = (): Cut => {
        if (!isCutting) return 'never';
        // Only every other commit: the query for the outcome must get through.
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
      assert.equal(await nodes.unitsCharged(id), 20);
    });
  }

  it('are served while lists use all their connections, even for callers who are not cached', async () => {
    const runner = await nodes.addRunner();
    const store = createStore(runner, testForms);
    const [feed, id] = [await addFeed(store), await addReader(store, 100)];
    const token = newToken();
    await store.tokens.issue(id, token, audit);
    let isOver = false;
    const lists = Array.from({ length: 10 }, () =>
      runner
        .read(() => rows(longSleep, {}))
        .finally(() => {
          isOver = true;
        }),
    );
    assert.ok(await store.access.findCredential(token.digest));
    assert.ok(await store.access.findService(feed));
    assert.equal(await outcomeOf(lookUp(store, id)), 'served');
    assert.equal(await store.reports.fetch(feed, randomUUID()), undefined);
    assert.equal(isOver, false, 'they waited for the lists');
    let isSettled = false;
    void Promise.allSettled(lists).then(() => {
      isSettled = true;
    });
    await until(async () => {
      await nodes.database.run(CANCEL_SLEEP);
      return isSettled;
    }, 'the lists are cancelled');
  });

  it('are served while all writes wait for a feed', async () => {
    const store = await nodes.add();
    const [feed, id] = [await addFeed(store), await addReader(store, 1000)];
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const release = await hold(holder, `select 1 from service where slug = '${feed}' for update`);
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
    // At once: the waiting writes time out after a while.
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 20 }, () => outcomeOf(lookUp(store, id)));
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(['served']));
      assert.notEqual(await store.access.findService(feed), undefined);
    }
    assert.equal(isOver, false, 'the lookups waited for the writes');
    await release();
    await Promise.all(waiting);
    const feeds = await nodes.database.run(
      'select max(last_sequence) as last_sequence from service',
    );
    assert.deepEqual(feeds, [{ last_sequence: '12' }]);
  });
});
