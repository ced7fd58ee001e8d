import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { ChangeChannel } from '../../../src/storage/postgres/change-channel.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { newDatabase, type TestDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';

let database: TestDatabase;
before(async () => {
  database = await newDatabase();
});
after(() => database.drop());

describe('the change channel of a node on PostgreSQL', () => {
  it('sends the changes of many feeds in few notifications, and loses none', async () => {
    const { connection, pools } = await openPostgres(database.url, 1);
    await pools.end();
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const received: string[][] = [];
    listener.on('notification', ({ payload = '' }) => received.push(payload.split(' ').slice(2)));
    await listener.query('listen rapsheet');
    const channel = new ChangeChannel(connection, {
      feeds: () => undefined,
      deliveries: () => undefined,
    });
    channel.start();
    // After the first poll it has a connection.
    await until(() => !channel.hasAccessChanged(), 'the first poll');
    const feeds = Array.from({ length: 2000 }, (_, number) => `feed-${number}`);
    for (const feed of feeds) channel.notify([feed]);
    await until(() => new Set(received.flat()).size === feeds.length, 'all feeds are notified');
    assert.ok(received.length < 20, `it took ${received.length} notifications`);
    await channel.stop();
    await listener.end();
  });

  it('tells the other nodes of queued deliveries', async () => {
    const { connection, pools } = await openPostgres(database.url, 1);
    await pools.end();
    const received: string[] = [];
    const channels = ['one', 'other'].map((node) => {
      const deliveries = () => received.push(node);
      return new ChangeChannel(connection, { feeds: () => undefined, deliveries });
    });
    for (const channel of channels) channel.start();
    for (const channel of channels)
      await until(() => !channel.hasAccessChanged(), 'the first poll');
    channels[0]?.notify(['ply']);
    channels[0]?.notify(['ply'], { hasDeliveries: true });
    await until(() => received.length > 0, 'a notification');
    assert.deepEqual(received, ['other']);
    for (const channel of channels) await channel.stop();
  });
});
