import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

  it('tells the other nodes of queued jobs', async () => {
    const { connection, pools } = await openPostgres(database.url, 1);
    await pools.end();
    const received: string[] = [];
    const channels = ['one', 'other'].map(
      (node) =>
        new ChangeChannel(connection, {
          feeds: () => undefined,
          deliveries: () => undefined,
          jobs: () => received.push(node),
        }),
    );
    for (const channel of channels) channel.start();
    for (const channel of channels)
      await until(() => !channel.hasAccessChanged(), 'the first poll');
    channels[0]?.notify([], { hasJobs: true });
    await until(() => received.length > 0, 'a notification');
    assert.deepEqual(received, ['other']);
    for (const channel of channels) await channel.stop();
  });

  it('polls rarely while nobody asks, and at once when somebody does', async () => {
    const { connection, pools } = await openPostgres(database.url, 1);
    await pools.end();
    let polls = 0;
    const channel = new ChangeChannel(connection, {
      feeds: () => assert.fail('nobody follows a feed'),
      isFollowed: () => false,
      deliveries: () => undefined,
      time: () => {
        polls += 1;
      },
    });
    channel.start();
    await until(() => polls === 1, 'the first poll');
    // Longer than an answer is fresh.
    await sleep(1500);
    assert.equal(polls, 1);
    assert.equal(channel.hasAccessChanged(), true);
    await until(() => polls === 2, 'a poll for the caller');
    assert.equal(channel.hasAccessChanged(), false);
    await until(() => polls >= 4, 'polls while callers are checked');
    await channel.stop();
  });
});
