import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { Watch } from '../../src/storage/postgres/watch.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { until } from '../until.ts';

let database: TestDatabase;
before(async () => {
  database = await newDatabase();
});
after(() => database.drop());

describe('what nodes on PostgreSQL tell each other of feeds', () => {
  it('is told together where it comes together, and nothing is left out', async () => {
    const { connection, pools } = await openPostgres(database.url, 1);
    await pools.end();
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const words: string[][] = [];
    listener.on('notification', ({ payload = '' }) => words.push(payload.split(' ').slice(2)));
    await listener.query('listen rapsheet');
    const watch = new Watch(connection, { feeds: () => undefined });
    watch.start();
    // Not before it has looked at the store it has a connection.
    await until(() => !watch.accessChanged(), 'it has looked');
    const feeds = Array.from({ length: 2000 }, (_, number) => `feed-${number}`);
    for (const feed of feeds) watch.tellFeeds([feed]);
    await until(() => new Set(words.flat()).size === feeds.length, 'all feeds were told of');
    assert.ok(words.length < 20, `it took ${words.length} words`);
    await watch.stop();
    await listener.end();
  });
});
