import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { formatPositions } from '../../../src/domain/reports/cursor.ts';
import { openRig, type Rig } from '../http-rig.ts';
import { listen } from '../wire.ts';

/** With slugs of this length, a list of all feeds exceeds Node's header limit. */
const FEEDS = 300;
const AT_ONCE = 10;
/** Well below the limits of Node and proxies for one header. */
const MAX_CHARACTERS = 10_000;

interface Page {
  readonly changes: readonly { readonly service: string; readonly sequence: number }[];
  readonly next: string;
  readonly head: string;
  readonly hasMore: boolean;
}

describe('positions in hundreds of feeds', () => {
  let rig: Rig;
  let services: readonly string[];
  let reporter: { readonly id: string; readonly name: string; readonly token: string };
  let port: number;

  before(async () => {
    rig = await openRig();
    reporter = await rig.researcher();
    port = await listen(rig);
    const made: string[] = [];
    while (made.length < FEEDS) {
      const some = Array.from({ length: AT_ONCE }, () =>
        rig.service({ slug: rig.fresh('the-feed-of-a-service-with-a-long-name') }),
      );
      made.push(...(await Promise.all(some)));
    }
    services = made;
    await add(services);
  });

  after(() => rig.close());

  function add(feeds: readonly string[]) {
    const report = (service: string, index: number) => ({
      id: randomUUID(),
      service,
      tags: [],
      c2: { host: `c${index}.example`, port: 443 },
      sha256: '0'.repeat(64),
      reference: 'https://research.example/',
      confidence: 50,
      reporterId: reporter.id,
      reportedBy: reporter.name,
      reportedAt: rig.clock.now(),
      retry: undefined,
    });
    return rig.deps.store.feeds.createMany(feeds.map(report));
  }

  async function read(since: string | undefined, limit = 1000): Promise<Page> {
    const query = since === undefined ? '' : `&since=${since}`;
    const answer = await rig.ask('GET', `/feed/all/changes?limit=${limit}${query}`, {
      token: reporter.token,
    });
    assert.equal(answer.status, 200, answer.text);
    const page = answer.json as unknown as Page;
    assert.ok(page.next.length < MAX_CHARACTERS, `${page.next.length} characters`);
    assert.ok(page.head.length < MAX_CHARACTERS, `${page.head.length} characters`);
    return page;
  }

  it('stay short, and page through all changes without gaps or repeats', async () => {
    const seen: string[] = [];
    let since: string | undefined;
    for (let hasMore = true; hasMore; ) {
      const page: Page = await read(since, 170);
      seen.push(...page.changes.map(({ service }) => service));
      ({ next: since, hasMore } = page);
    }
    assert.deepEqual(seen.toSorted(), services.toSorted());
    const changed = services.slice(0, 3);
    await add(changed);
    const page = await read(since);
    assert.deepEqual(page.changes.map(({ service }) => service).sort(), changed.toSorted());
    assert.equal((await read(page.next)).changes.length, 0);
    assert.equal((await read('head')).next, (await read('head')).next);
  });

  it('are accepted in the form of older versions', async () => {
    const { feeds } = rig.deps.store;
    const heads = new Map(await feeds.heads(undefined));
    const [late = ''] = services;
    heads.set(late, (heads.get(late) ?? 0) - 1);
    const page = await read(formatPositions(await feeds.secret(), heads));
    assert.deepEqual(
      page.changes.map(({ service }) => service),
      [late],
    );
  });

  it('are the ids of a stream, which resumes from them by a header', async () => {
    const { next } = await read('head');
    const changed = services.slice(10, 200);
    await add(changed);
    const first = await follow(next, 100);
    const rest = await follow(first.at(-1)?.id ?? '', changed.length - 100);
    assert.deepEqual([...first, ...rest].map(({ service }) => service).sort(), changed.toSorted());
    assert.ok([...first, ...rest].every(({ id }) => id.length < MAX_CHARACTERS));
  });

  it('refer to a new stored base, not to one that expires soon', async () => {
    // Later than any other, so that this base is the latest.
    rig.clock.advance(1);
    await read('head');
    const { feeds } = rig.deps.store;
    const before = new Date(rig.clock.now().getTime() + 1);
    rig.clock.advance(3 * 3_600_000);
    const { next } = await read('head');
    while ((await feeds.deleteUnusedPositions(before, 100)) > 0);
    assert.equal((await read(next)).changes.length, 0);
  });

  it('whose base has expired are answered like pruned changes', async () => {
    const { next } = await read('head');
    const { feeds } = rig.deps.store;
    while ((await feeds.deleteUnusedPositions(new Date(rig.clock.now().getTime() + 1), 100)) > 0);
    const { status, code } = await rig.ask('GET', `/feed/all/changes?since=${next}`, {
      token: reporter.token,
    });
    assert.deepEqual([status, code], [410, 'changes_dropped']);
    const answer = await stream(next);
    const text = await readUntil(answer, (received) => received.includes('event: reset'));
    assert.match(text, /"reason":"dropped"/);
  });

  function stream(lastEventId: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${port}/feed/all/stream`, {
      headers: { authorization: reporter.token, 'last-event-id': lastEventId },
    });
  }

  /** The next `count` events after the id. */
  async function follow(lastEventId: string, count: number) {
    const answer = await stream(lastEventId);
    assert.equal(answer.status, 200);
    const eventsIn = (text: string) =>
      [...text.matchAll(/event: created\nid: (\S+)\ndata: (\{.*\})\n\n/g)].map(
        ([, id = '', data = '']) => ({
          id,
          service: (JSON.parse(data) as { service: string }).service,
        }),
      );
    const text = await readUntil(answer, (received) => eventsIn(received).length >= count);
    return eventsIn(text).slice(0, count);
  }

  async function readUntil({ body }: Response, isEnough: (text: string) => boolean) {
    let text = '';
    if (body !== null)
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (isEnough(text)) break;
      }
    return text;
  }
});
