import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { FakeFeeds, Outlet } from '../../../test/fake-feeds.ts';
import { TurnCounter } from '../../../test/turn-counter.ts';
import { KnownLists } from '../../domain/lists/known-lists.ts';
import { parsePositions } from '../../domain/reports/cursor.ts';
import { FeedTail } from './feed-tail.ts';
import { StreamReader } from './reader.ts';

const secret = Buffer.alloc(32, 1);

function feedsWith(...counts: readonly (readonly [string, number])[]): FakeFeeds {
  const feeds = new FakeFeeds();
  for (const [slug, count] of counts) {
    feeds.add(slug);
    for (let number = 0; number < count; number += 1) feeds.append(slug);
  }
  return feeds;
}

function connect() {
  const outlet = new Outlet();
  // A writable stream has all members of a response that a reader uses.
  const reader = new StreamReader(outlet as unknown as ServerResponse, Buffer.alloc(32));
  return { outlet, reader };
}

const openTail = (feeds: FakeFeeds, scope: string | undefined) =>
  FeedTail.open(feeds, scope, { now: () => new Date(), knownLists: () => new KnownLists() });

const numbersOf = ({ events }: Outlet) => events.map(({ data }) => data.sequence);

const at = (slug: string, number: number) => new Map([[slug, number]]);

describe('the tail of a feed', () => {
  it('sends new changes to a reader without a position, after an opening frame with the current id', async () => {
    const feeds = feedsWith(['ply', 3]);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    await tail.admit(reader, undefined);
    assert.equal(outlet.text, ': connected\n\nretry: 3000\nid: 3\n\n');
    feeds.append('ply', 'deleted');
    await tail.read();
    const [event] = outlet.events;
    assert.deepEqual(event, {
      event: 'deleted',
      id: '4',
      data: { sequence: 4, type: 'deleted', id: 'ply-4', deletedAt: '2026-08-26T10:00:00Z' },
    });
  });

  it('sends the changes after a sequence, in several reads, and then new changes', async () => {
    const feeds = feedsWith(['ply', 1234]);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    await tail.admit(reader, at('ply', 7));
    feeds.append('ply');
    await tail.read();
    assert.deepEqual(
      numbersOf(outlet),
      Array.from({ length: 1228 }, (_, index) => index + 8),
    );
  });

  it('reads and sends some pages of changes in a turn of the event loop, not all', async () => {
    const feeds = feedsWith(['ply', 3000]);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    const turns = new TurnCounter();
    feeds.meanwhile = () => turns.mark();
    await tail.admit(reader, at('ply', 0));
    for (let count = 0; count < 3000; count += 1) feeds.append('ply');
    await tail.read();
    turns.stop();
    assert.equal(outlet.events.length, 6000);
    // A page of 100 of these changes has 10 kB. The first turn may be that of two budgets.
    assert.ok(turns.most <= 16, turns.byTurn.join());
  });

  it('leaves no gap and repeats nothing if changes are committed during the catch-up reads', async () => {
    const plan = fc.array(fc.constantFrom('nothing', 'append', 'append and read'), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(plan, fc.nat(300), async (steps, before) => {
        const feeds = feedsWith(['ply', before]);
        const tail = await openTail(feeds, 'ply');
        const rest = [...steps];
        const reads: Promise<void>[] = [];
        feeds.meanwhile = () => {
          const step = rest.shift() ?? 'nothing';
          if (step !== 'nothing') feeds.append('ply');
          if (step === 'append and read') reads.push(tail.read());
        };
        const { outlet, reader } = connect();
        await tail.admit(reader, at('ply', 0));
        await Promise.all(reads);
        feeds.meanwhile = () => undefined;
        await tail.read();
        const head = (await feeds.heads('ply')).get('ply') ?? 0;
        assert.deepEqual(
          numbersOf(outlet),
          Array.from({ length: head }, (_, index) => index + 1),
        );
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  it('does not miss changes committed between the last catch-up read and joining the tail', async () => {
    const feeds = feedsWith(['ply', 2]);
    const tail = await openTail(feeds, 'ply');
    feeds.meanwhile = ({ since }) => {
      if (since.get('ply') !== 0) return;
      feeds.append('ply');
      feeds.meanwhile = () => undefined;
    };
    const { outlet, reader } = connect();
    await tail.admit(reader, at('ply', 0));
    await tail.read();
    assert.deepEqual(numbersOf(outlet), [1, 2, 3]);
  });

  it('reads once for all readers, and sends all of them the same bytes', async () => {
    const feeds = feedsWith(['ply', 0]);
    const tail = await openTail(feeds, 'ply');
    const all = Array.from({ length: 50 }, connect);
    for (const { reader } of all) await tail.admit(reader, undefined);
    feeds.append('ply');
    feeds.reads = 0;
    await Promise.all(Array.from({ length: 20 }, () => tail.read()));
    assert.ok(feeds.reads <= 2);
    const [first] = all;
    assert.deepEqual(numbersOf(first?.outlet as Outlet), [1]);
    for (const { outlet } of all) assert.equal(outlet.chunks.at(-1), first?.outlet.chunks.at(-1));
  });

  it('sends changes committed during a read', async () => {
    const feeds = feedsWith(['ply', 0]);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    await tail.admit(reader, undefined);
    let later: Promise<void> | undefined;
    feeds.meanwhile = () => {
      feeds.meanwhile = () => undefined;
      feeds.append('ply');
      later = tail.read();
    };
    await tail.read();
    await later;
    assert.deepEqual(numbersOf(outlet), [1]);
  });

  it('resets a reader whose position is older than the retained changes, and continues from the head', async () => {
    const feeds = feedsWith(['ply', 9]);
    feeds.dropped.set('ply', 5);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    await tail.admit(reader, at('ply', 4));
    feeds.append('ply');
    await tail.read();
    assert.deepEqual(
      outlet.events.map(({ event, id }) => [event, id]),
      [
        ['reset', '9'],
        ['created', '10'],
      ],
    );
    assert.deepEqual(outlet.events[0]?.data, { reason: 'dropped', next: 9 });
  });

  it('resets all readers if its own position is no longer valid', async () => {
    const feeds = feedsWith(['ply', 1]);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    await tail.admit(reader, undefined);
    feeds.append('ply');
    feeds.append('ply');
    feeds.dropped.set('ply', 2);
    await tail.read();
    assert.deepEqual(
      outlet.events.map(({ event, id }) => [event, id]),
      [['reset', '3']],
    );
  });

  it('ends readers that join after its end', async () => {
    const tail = await openTail(feedsWith(['ply', 1]), 'ply');
    tail.close('over');
    const { outlet, reader } = connect();
    await tail.admit(reader, undefined);
    assert.equal(reader.isOpen, false);
    assert.match(outlet.text, /: over\n\n$/);
  });

  it('waits for a slow reader, and stops when it disconnects', async () => {
    const feeds = feedsWith(['ply', 5000]);
    const tail = await openTail(feeds, 'ply');
    const { outlet, reader } = connect();
    outlet.isReading = false;
    const admitted = tail.admit(reader, at('ply', 0));
    await setImmediate();
    const reads = feeds.reads;
    assert.ok(reads < 20);
    await setImmediate();
    assert.equal(feeds.reads, reads);
    outlet.destroy();
    await admitted;
    assert.equal(feeds.reads, reads);
    assert.equal(tail.readers.size, 0);
  });
});

describe('the tail of all feeds', () => {
  /** The last sequence of each feed in the events. */
  function check(outlet: Outlet, begin: ReadonlyMap<string, number>): Map<string, number> {
    const seen = new Map(begin);
    for (const { id, data } of outlet.events) {
      const slug = data.service ?? '';
      assert.equal(data.sequence, (seen.get(slug) ?? 0) + 1);
      seen.set(slug, data.sequence);
      const positions = new Map(parsePositions(secret, id)?.positions);
      assert.deepEqual(positions, new Map([...seen].filter(([, number]) => number > 0)));
    }
    return seen;
  }

  it('numbers each feed without gaps, and gives each event a position in all feeds', async () => {
    const feeds = feedsWith(['a', 3], ['b', 250], ['c', 0]);
    const tail = await openTail(feeds, undefined);
    const { outlet, reader } = connect();
    await tail.admit(reader, new Map([['b', 120]]));
    for (const slug of ['c', 'a', 'new', 'b', 'new']) feeds.append(slug);
    await tail.read();
    assert.deepEqual(
      check(outlet, new Map([['b', 120]])),
      new Map([
        ['b', 251],
        ['a', 4],
        ['c', 1],
        ['new', 2],
      ]),
    );
  });

  it('lets a reader resume after any event, with concurrent commits', async () => {
    const slugs = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(slugs, slugs, fc.nat(), async (first, second, cut) => {
        const feeds = feedsWith(['a', 1], ['b', 2]);
        const tail = await openTail(feeds, undefined);
        const before = connect();
        await tail.admit(before.reader, new Map());
        for (const slug of first) {
          feeds.append(slug);
          if (slug === 'a') await tail.read();
        }
        await tail.read();
        const { events } = before.outlet;
        const last = events[cut % events.length];
        const position = parsePositions(secret, last?.id ?? '')?.positions ?? new Map();
        const rest = [...second];
        feeds.meanwhile = () => {
          const slug = rest.shift();
          if (slug !== undefined) feeds.append(slug);
        };
        const after = connect();
        await tail.admit(after.reader, position);
        feeds.meanwhile = () => undefined;
        await tail.read();
        assert.deepEqual(check(after.outlet, position), new Map(await feeds.heads(undefined)));
      }),
      { seed: 8, numRuns: 100 },
    );
  });
});
