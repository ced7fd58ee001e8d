import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeFeeds, Outlet } from '../../../test/fake-feeds.ts';
import { alice, fakeDependencies } from '../../../test/fakes.ts';
import type { Credential } from '../../domain/accounts/caller.ts';
import type { Positions } from '../../domain/reports/cursor.ts';
import { createLog } from '../../observability/log.ts';
import { StreamReader } from './reader.ts';
import { type StreamStart, Streams } from './streams.ts';

const digest = Buffer.alloc(32, 9);

function setUp() {
  const feeds = new FakeFeeds();
  feeds.add('ply');
  const credential: Credential = {
    caller: alice,
    digest,
    disabled: false,
    revoked: false,
    expiresAt: new Date('2026-08-26T11:00:00Z'),
  };
  const access = {
    credential: credential as Credential | undefined,
    findCredential: async () => access.credential,
  };
  const deps = fakeDependencies({ feeds, access });
  const streams = new Streams(deps, createLog('silent'));
  const open = async (start: Partial<StreamStart> = {}) => {
    const outlet = new Outlet();
    await streams.open(
      { scope: 'ply', since: undefined, isStrict: true, ...start },
      // A writable stream has all members of a response that a reader uses.
      () => new StreamReader(outlet as unknown as ServerResponse, digest),
    );
    return outlet;
  };
  return { feeds, access, streams, open, clock: deps.clock };
}

const at = (number: number): Positions => new Map([['ply', number]]);
const numbersOf = ({ events }: Outlet) => events.map(({ data }) => data.sequence);

describe('streams', () => {
  it('send a change of this process as soon as it is committed', async () => {
    const { feeds, open, streams } = setUp();
    const one = await open();
    const all = await open({ scope: undefined });
    feeds.commit('ply');
    await setImmediate();
    assert.deepEqual(numbersOf(one), [1]);
    assert.deepEqual(numbersOf(all), [1]);
    streams.close();
  });

  it('send a change of another process within a tick', async () => {
    const { feeds, open, streams } = setUp();
    const one = await open();
    const all = await open({ scope: undefined });
    feeds.append('ply');
    await streams.tick();
    await setImmediate();
    assert.deepEqual(numbersOf(one), [1]);
    assert.deepEqual(numbersOf(all), [1]);
    streams.close();
  });

  it('read nothing at a tick without changes', async () => {
    const { feeds, open, streams } = setUp();
    await open();
    feeds.reads = 0;
    await streams.tick();
    assert.equal(feeds.reads, 0);
    streams.close();
  });

  it('ping every fifteenth second, all with the same bytes', async () => {
    const { open, streams } = setUp();
    const one = await open();
    const other = await open();
    for (let tick = 0; tick < 30; tick += 1) await streams.tick();
    assert.equal(one.text.split(': ping\n').length - 1, 2);
    assert.equal(one.chunks.at(-1), other.chunks.at(-1));
    streams.close();
  });

  for (const [what, end] of [
    ['is revoked', { revoked: true }],
    ['belongs to an account that is disabled', { disabled: true }],
    ['does not exist', undefined],
  ] as const) {
    it(`end when their token ${what}`, async () => {
      const { access, open, streams } = setUp();
      const outlet = await open();
      await streams.tick();
      assert.equal(outlet.writableEnded, false);
      access.credential = end && { ...(access.credential as Credential), ...end };
      await streams.tick();
      assert.equal(outlet.writableEnded, true);
      assert.match(outlet.text, /: the token is no longer valid\n\n$/);
    });
  }

  it('end when their token expires', async () => {
    const { clock, open, streams } = setUp();
    const outlet = await open();
    clock.set('2026-08-26T11:00:00Z');
    await streams.tick();
    assert.equal(outlet.writableEnded, true);
  });

  it('end when their token cannot be checked', async () => {
    const { access, open, streams } = setUp();
    const outlet = await open();
    access.findCredential = () => Promise.reject(new Error('no store'));
    await streams.tick();
    assert.equal(outlet.writableEnded, true);
  });

  it('refuse a `since` beyond the end of the feed', async () => {
    const { open } = setUp();
    await assert.rejects(open({ since: at(1) }), { code: 'since_ahead' });
  });

  it('reset a client that reconnects with an id beyond the end of the feed', async () => {
    const { feeds, open, streams } = setUp();
    feeds.append('ply');
    const outlet = await open({ since: at(2), isStrict: false });
    assert.deepEqual(outlet.events, [
      { event: 'reset', id: '1', data: { reason: 'unknown', next: 1 } },
    ]);
    streams.close();
  });

  it('accept a sequence that is newer than the last read one', async () => {
    const { feeds, open, streams } = setUp();
    await open();
    feeds.append('ply');
    const outlet = await open({ since: at(1) });
    assert.deepEqual(outlet.events, []);
    streams.close();
  });

  it('end when the feed cannot be read, and can be resumed', async () => {
    const { feeds, open, streams } = setUp();
    const outlet = await open();
    feeds.meanwhile = () => {
      throw new Error('no store');
    };
    feeds.commit('ply');
    await setImmediate();
    assert.equal(outlet.writableEnded, true);
    feeds.meanwhile = () => undefined;
    const again = await open({ since: at(0) });
    assert.deepEqual(numbersOf(again), [1]);
    feeds.commit('ply');
    await setImmediate();
    assert.deepEqual(numbersOf(again), [1, 2]);
    streams.close();
  });

  it('disconnect clients that do not read, without delaying the others', async () => {
    const { feeds, open, streams } = setUp();
    const slow = await open();
    const quick = await open();
    slow.isReading = false;
    // Each is far larger than a socket buffer, so the pending bytes must be bounded.
    for (let round = 0; round < 100 && !slow.destroyed; round += 1) {
      for (let change = 0; change < 99; change += 1) feeds.append('ply');
      feeds.commit('ply');
      await setImmediate();
    }
    assert.equal(slow.destroyed, true);
    assert.ok(slow.writableLength < 1024 * 1024);
    assert.equal(quick.destroyed, false);
    const numbers = numbersOf(quick);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
    streams.close();
  });

  it('end with an id to resume from at shutdown, and refuse new readers', async () => {
    const { feeds, open, streams } = setUp();
    const outlet = await open();
    feeds.commit('ply');
    await setImmediate();
    streams.close();
    assert.equal(outlet.writableEnded, true);
    assert.equal(outlet.events.at(-1)?.id, '1');
    assert.match(outlet.text, /: the server is shutting down; reconnect and resume\n\n$/);
    await assert.rejects(open(), { code: 'unavailable' });
    assert.equal(feeds.listeners, 0);
  });

  it('release everything when all readers have left', async () => {
    const { feeds, open, streams } = setUp();
    const outlet = await open();
    const all = await open({ scope: undefined });
    assert.equal(streams.size, 2);
    outlet.destroy();
    all.destroy();
    await setImmediate();
    await streams.tick();
    assert.equal(streams.size, 0);
    assert.equal(feeds.listeners, 0);
    // It starts again for the next reader.
    const next = await open();
    feeds.commit('ply');
    await setImmediate();
    assert.deepEqual(numbersOf(next), [1]);
    streams.close();
  });

  it('do not lose a reader that joins while the last one leaves', async () => {
    const { feeds, open, streams } = setUp();
    const first = await open();
    first.destroy();
    await setImmediate();
    const [second] = await Promise.all([open({ since: at(0) }), streams.tick()]);
    feeds.commit('ply');
    await setImmediate();
    assert.deepEqual(numbersOf(second), [1]);
    streams.close();
  });
});
