import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { RapsheetError } from '../../../../src/client/error.ts';
import type { FeedEvent, FollowOptions } from '../../../../src/client/follow.ts';
import { LiveHub } from './live-hub.ts';
import type { LiveMessage } from './messages.ts';

/** A server whose streams the test feeds. */
class FakeFeed {
  readonly opened: (string | undefined)[] = [];
  #current: PromiseWithResolvers<FeedEvent | Error> = Promise.withResolvers();

  async *followFeed(_: string, { lastEventId, signal, onConnection }: FollowOptions = {}) {
    this.opened.push(lastEventId);
    onConnection?.(true);
    for (;;) {
      const aborted = new Promise<undefined>((resolve) =>
        signal?.addEventListener('abort', () => resolve(undefined)),
      );
      const next = await Promise.race([this.#current.promise, aborted]);
      if (next === undefined) return;
      this.#current = Promise.withResolvers();
      if (next instanceof Error) throw next;
      yield next;
    }
  }

  async send(next: FeedEvent | Error): Promise<void> {
    this.#current.resolve(next);
    await setImmediate();
  }
}

class FakeTab {
  readonly heard: string[] = [];
  post(message: LiveMessage): void {
    if (message.kind === 'state') this.heard.push(message.state.kind);
    else if (message.kind === 'event')
      this.heard.push(message.event.kind === 'reset' ? 'reset' : message.event.id);
  }
}

function change(id: string): FeedEvent {
  return { kind: 'change', id, change: { type: 'created', id: `report-${id}` } as never };
}

async function setUp() {
  const feed = new FakeFeed();
  const hub = new LiveHub(feed);
  const tab = new FakeTab();
  hub.join(tab, { since: Date.now() });
  await setImmediate();
  return { feed, hub, tab };
}

test('opens one stream for all tabs, and tells each of every change', async () => {
  const { feed, hub, tab } = await setUp();
  const others = Array.from({ length: 9 }, () => new FakeTab());
  for (const other of others) hub.join(other, { since: Date.now() + 1 });
  await feed.send(change('1'));
  assert.deepEqual(feed.opened, [undefined]);
  assert.deepEqual(tab.heard, ['idle', 'connecting', 'live', 'reset', '1']);
  for (const other of others) assert.deepEqual(other.heard, ['live', '1']);
});

test('tells a tab that joins late what happened since it began to load', async () => {
  const { feed, hub } = await setUp();
  const loadedAt = Date.now();
  await feed.send(change('1'));
  const late = new FakeTab();
  hub.join(late, { since: loadedAt });
  assert.deepEqual(
    late.heard.filter((one) => one !== 'reset'),
    ['live', '1'],
  );
});

test('goes on for the others when a tab closes', async () => {
  const { feed, hub, tab } = await setUp();
  const other = new FakeTab();
  hub.join(other, { since: Date.now() + 1 });
  hub.leave(tab);
  await feed.send(change('1'));
  assert.equal(other.heard.at(-1), '1');
  assert.equal(feed.opened.length, 1);
});

test('resumes after the last event when a tab comes back', async () => {
  const { feed, hub, tab } = await setUp();
  await feed.send(change('7'));
  hub.leave(tab);
  await setImmediate();
  hub.join(tab, { since: Date.now() + 1 });
  await setImmediate();
  assert.deepEqual(feed.opened, [undefined, '7']);
  assert.deepEqual(tab.heard.slice(-3), ['idle', 'connecting', 'live']);
});

test('a lost connection is told, and a retry resumes after the last event', async () => {
  const { feed, hub, tab } = await setUp();
  await feed.send(change('7'));
  await feed.send(new RapsheetError('no answer', { code: 'no_answer' }));
  assert.equal(tab.heard.at(-1), 'lost');
  hub.retry();
  await setImmediate();
  assert.deepEqual(feed.opened, [undefined, '7']);
  assert.equal(tab.heard.at(-1), 'live');
  hub.leave(tab);
});

test('a sign-out ends the stream for all tabs, and the next sign-in resumes it', async () => {
  const { feed, hub, tab } = await setUp();
  hub.join(new FakeTab(), { since: Date.now() + 1 });
  await feed.send(change('7'));
  hub.end();
  await setImmediate();
  hub.join(tab, { since: Date.now() + 1 });
  await setImmediate();
  assert.deepEqual(feed.opened, [undefined, '7']);
});

test('a session that has ended is told, and the next starts anew', async () => {
  const { feed, hub, tab } = await setUp();
  await feed.send(change('7'));
  await feed.send(new RapsheetError('ended', { code: 'session_expired', status: 401 }));
  assert.equal(tab.heard.at(-1), 'signed-out');
  hub.join(tab, { since: Date.now() + 1 });
  await setImmediate();
  assert.deepEqual(feed.opened, [undefined, undefined]);
  // Told once: the next session has not ended.
  assert.deepEqual(tab.heard.slice(-4), ['signed-out', 'connecting', 'live', 'reset']);
});

test('a tab that was away for more changes than are kept reads everything again', async () => {
  const { feed, hub } = await setUp();
  const before = Date.now();
  for (let number = 0; number <= 2000; number += 1) await feed.send(change(String(number)));
  const late = new FakeTab();
  hub.join(late, { since: before });
  assert.deepEqual(late.heard, ['live', 'reset']);
});

test('starts after the position of the first tab, without a reset', async () => {
  const feed = new FakeFeed();
  const hub = new LiveHub(feed);
  const tab = new FakeTab();
  hub.join(tab, { since: Date.now(), position: '7' });
  await setImmediate();
  hub.join(new FakeTab(), { since: Date.now(), position: '9' });
  await feed.send(change('8'));
  hub.end();
  hub.join(tab, { since: Date.now(), position: '9' });
  await setImmediate();
  assert.deepEqual(feed.opened, ['7', '8'], 'resumed after the last event, not at the position');
  assert.ok(!tab.heard.includes('reset'));
});
