import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import type { FeedStore } from '../../../src/ports/feed-store.ts';
import { ownRig, type Rig, type WireExtended } from '../http-rig.ts';
import { listen } from '../wire.ts';

const COUNT = 250;

interface Filled {
  readonly rig: Rig;
  readonly service: string;
  readonly token: string;
  /** Oldest first. */
  readonly ids: readonly string[];
}

type Between = (feeds: FeedStore, ids: readonly string[], rig: Rig) => Partial<FeedStore>;

/**
 * A feed with `count` reports, and a hook between the server and its store while pages are read.
 */
async function filled(test: TestContext, between: Between = () => ({})): Promise<Filled> {
  let own: FeedStore | undefined;
  let changed: Partial<FeedStore> = {};
  const rig = await ownRig(test, {
    between: (store) => {
      own = store.feeds;
      const get = (feeds: FeedStore, name: string) => Reflect.get({ ...feeds, ...changed }, name);
      return { ...store, feeds: new Proxy(store.feeds, { get }) };
    },
  });
  const service = await rig.service();
  const { token } = await rig.account({ roles: ['researcher'], services: [service] });
  const lines = Array.from({ length: COUNT }, (_, index) => ({
    c2Address: `c${index}.example:443`,
    file256Hash: String(index % 10).repeat(64),
  }));
  const answer = await rig.bulk(service, token, lines);
  const ids = answer.text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  assert.ok(own);
  changed = between(own, ids, rig);
  return { rig, service, token, ids };
}

async function pageOf({ rig, token }: Filled, url: string) {
  const answer = await rig.ask('GET', url, { token });
  assert.equal(answer.status, 200, answer.text);
  return { answer, json: answer.json };
}

describe('a long page', () => {
  it('has all its reports in order, and the cursor of the next page', async (test) => {
    const feed = await filled(test);
    const list = `/feed/${feed.service}/reports?order=asc`;
    const { answer, json } = await pageOf(feed, `${list}&limit=220`);
    const first = (json['reports'] as WireExtended[]).map(({ id }) => id);
    assert.deepEqual(first, feed.ids.slice(0, 220));
    assert.deepEqual([json['hasMore'], json['successful']], [true, true]);
    const next = new URL(/<([^>]+)>/.exec(answer.headers['link'] ?? '')?.[1] ?? '');
    const rest = await pageOf(feed, next.pathname + next.search);
    assert.deepEqual(
      (rest.json['reports'] as WireExtended[]).map(({ id }) => id),
      feed.ids.slice(220),
    );
    assert.deepEqual([rest.json['hasMore'], rest.json['nextCursor']], [false, null]);
    const ofAll = await pageOf(feed, '/feed/all/reports?limit=1000');
    assert.equal((ofAll.json['reports'] as unknown[]).length, COUNT);
  });

  it('is read in parts, never whole', async (test) => {
    const sizes: number[] = [];
    const feed = await filled(test, (feeds) => ({
      list: () => assert.fail('the whole page was read at once'),
      changes: () => assert.fail('the whole page was read at once'),
      reportsByNumber: (numbers) => {
        sizes.push(numbers.length);
        return feeds.reportsByNumber(numbers);
      },
      withReports: (steps) => {
        sizes.push(steps.length);
        return feeds.withReports(steps);
      },
    }));
    await pageOf(feed, `/feed/${feed.service}/reports?limit=1000`);
    await pageOf(feed, `/feed/${feed.service}/changes?limit=1000`);
    await pageOf(feed, '/feed/all/changes?limit=1000');
    assert.deepEqual(sizes, Array(15).fill(50));
  });

  it('leaves out reports that were deleted or no longer match before they were read', async (test) => {
    let isChanged = false;
    const feed = await filled(test, (feeds, ids, rig) => ({
      reportsByNumber: async (numbers) => {
        if (!isChanged) {
          isChanged = true;
          await rig.remove(feed.service, ids[30] ?? '', feed.token);
          await rig.answer(feed.service, ids[240] ?? '', feed.token, { status: 'acknowledged' });
        }
        return feeds.reportsByNumber(numbers);
      },
    }));
    const { json } = await pageOf(
      feed,
      `/feed/${feed.service}/reports?status=open&order=asc&limit=1000`,
    );
    const expected = feed.ids.filter((_, index) => index !== 30 && index !== 240);
    assert.deepEqual(
      (json['reports'] as WireExtended[]).map(({ id }) => id),
      expected,
    );
  });

  it('has every change, without reports that were deleted concurrently', async (test) => {
    let isChanged = false;
    const feed = await filled(test, (feeds, ids, rig) => ({
      withReports: async (steps) => {
        if (!isChanged) {
          isChanged = true;
          await rig.remove(feed.service, ids[180] ?? '', feed.token);
        }
        return feeds.withReports(steps);
      },
    }));
    const { json } = await pageOf(feed, `/feed/${feed.service}/changes?limit=1000`);
    const changes = json['changes'] as { sequence: number; report?: unknown }[];
    assert.deepEqual(
      changes.map(({ sequence }) => sequence),
      feed.ids.map((_, index) => index + 1),
    );
    assert.deepEqual(
      changes.filter(({ report }) => report === undefined).map(({ sequence }) => sequence),
      [181],
    );
    assert.deepEqual([json['next'], json['head'], json['hasMore']], [COUNT, COUNT, false]);
  });

  for (const [failing, what] of [
    [1, 'is refused where its first part cannot be read'],
    [3, 'is cut off where a later part cannot be read'],
  ] as const)
    it(what, async (test) => {
      let calls = 0;
      const feed = await filled(test, (feeds) => ({
        reportsByNumber: async (numbers) => {
          calls += 1;
          if (calls === failing) throw new Problem('unavailable', { retryAfterSeconds: 1 });
          return feeds.reportsByNumber(numbers);
        },
      }));
      const port = await listen(feed.rig);
      const answer = await fetch(
        `http://127.0.0.1:${port}/feed/${feed.service}/reports?limit=250`,
        // A compressor holds the first parts back, so that a later failure may still be refused.
        { headers: { authorization: feed.token, 'accept-encoding': 'identity' } },
      );
      assert.equal(answer.status, failing === 1 ? 503 : 200);
      if (failing === 1) {
        assert.equal(answer.headers.get('link'), null);
        assert.equal(((await answer.json()) as { successful: boolean }).successful, false);
      } else await assert.rejects(answer.text());
    });
});
