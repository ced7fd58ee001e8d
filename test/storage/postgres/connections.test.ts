import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  connectWithoutTimeouts,
  hasPostgresStore,
  openPostgres,
} from '../../../src/storage/postgres/open.ts';
import type { Pools } from '../../../src/storage/postgres/pools.ts';
import { newDatabase, type TestDatabase } from '../../postgres.ts';

describe('connections to PostgreSQL', () => {
  let database: TestDatabase;
  before(async () => {
    database = await newDatabase();
  });
  after(() => database.drop());

  const withOptions = () =>
    Object.assign(new URL(database.url), { search: 'options=-c%20jit%3Don%20-c%20geqo%3Doff' })
      .href;

  for (const [name, urlOf] of [
    ['', () => database.url],
    [', whatever the options of the URL say', withOptions],
  ] as const)
    it(`never compile statements just in time${name}`, async () => {
      const { pools } = await openPostgres(urlOf(), 10);
      for (const pool of connectionsOf(pools)) assert.equal(await settingOf(pool, 'jit'), 'off');
      await pools.end();
      const client = await connectWithoutTimeouts(urlOf());
      assert.equal(await settingOf(client, 'jit'), 'off');
      await client.end();
    });

  it('are awaited longer at a start, when the machine may be busy, than for a request', async (test) => {
    const { port } = new URL(database.url);
    const slow = createServer(async (near) => {
      const far = connect(Number(port), '127.0.0.1');
      for (const socket of [near, far]) socket.on('error', () => undefined);
      far.pipe(near);
      // Longer than a request waits.
      await pause(4000);
      near.pipe(far);
    }).listen(0, '127.0.0.1');
    test.after(() => slow.close());
    await once(slow, 'listening');
    const proxy = String((slow.address() as AddressInfo).port);
    const url = Object.assign(new URL(database.url), { port: proxy }).href;
    const [found, refused] = await Promise.allSettled([
      hasPostgresStore(url),
      connectWithoutTimeouts(url, '', 1000),
    ]);
    assert.equal(found.status, 'fulfilled');
    assert.match(String(refused.status === 'rejected' && refused.reason), /timeout expired/);
  });

  it('keep the other options of the URL', async () => {
    const { pools } = await openPostgres(withOptions(), 10);
    for (const pool of connectionsOf(pools)) assert.equal(await settingOf(pool, 'geqo'), 'off');
    await pools.end();
  });
});

function connectionsOf({ batched, reads, writes, jobs }: Pools) {
  return [batched, reads, writes, jobs];
}

interface Connection {
  query(sql: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

async function settingOf(connection: Connection, name: string): Promise<unknown> {
  return (await connection.query(`show ${name}`)).rows[0]?.[name];
}
