import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeFeeds } from '../../../test/fake-feeds.ts';
import { fakeDependencies } from '../../../test/fakes.ts';
import { StreamTickets } from './tickets.ts';

const digest = Buffer.alloc(32, 9);

function setUp() {
  const deps = fakeDependencies({ feeds: new FakeFeeds() });
  return { deps, tickets: new StreamTickets(deps) };
}

describe('a ticket', () => {
  it('opens its stream once', async () => {
    const { tickets } = setUp();
    const { ticket, expiresAt } = await tickets.issue('ply', digest);
    assert.deepEqual(expiresAt, new Date('2026-08-26T10:00:30Z'));
    assert.deepEqual(await tickets.redeem('ply', ticket), digest);
    assert.equal(await tickets.redeem('ply', ticket), undefined);
  });

  it('opens it once for concurrent requests', async () => {
    const { tickets } = setUp();
    const { ticket } = await tickets.issue(undefined, digest);
    const tries = Array.from({ length: 10 }, () => tickets.redeem(undefined, ticket));
    const opened = (await Promise.all(tries)).filter((found) => found !== undefined);
    assert.equal(opened.length, 1);
  });

  it('opens no other stream', async () => {
    const { tickets } = setUp();
    const { ticket } = await tickets.issue('ply', digest);
    assert.equal(await tickets.redeem('other', ticket), undefined);
    assert.equal(await tickets.redeem(undefined, ticket), undefined);
    assert.deepEqual(await tickets.redeem('ply', ticket), digest);
  });

  it('is valid for 30 seconds', async () => {
    const { deps, tickets } = setUp();
    const [first, second] = [
      await tickets.issue('ply', digest),
      await tickets.issue('ply', digest),
    ];
    deps.clock.advance(29_999);
    assert.ok(await tickets.redeem('ply', first.ticket));
    deps.clock.advance(1);
    assert.equal(await tickets.redeem('ply', second.ticket), undefined);
  });

  it('is unique, and only issued ones are accepted', async () => {
    const { tickets } = setUp();
    const { ticket } = await tickets.issue('ply', digest);
    assert.notEqual(ticket, (await tickets.issue('ply', digest)).ticket);
    for (const other of ['', 'x', `${ticket}A`, ticket.slice(1)])
      assert.equal(await tickets.redeem('ply', other), undefined);
  });
});
