import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig, ownRig, type WireExtended } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();
const { token } = await rig.reader();

interface Change {
  readonly service?: string;
  readonly sequence: number;
  readonly type: string;
  readonly id: string;
  readonly report?: WireExtended;
  readonly deletedAt?: string;
}

interface Page<Position> {
  readonly changes: readonly Change[];
  readonly next: Position;
  readonly head: Position;
  readonly hasMore: boolean;
}

async function read<Position = number>(feed: string, query = ''): Promise<Page<Position>> {
  const answer = await rig.ask('GET', `/feed/${feed}/changes${query}`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Page<Position>;
}

async function codeOf(url: string): Promise<readonly [number, string | undefined]> {
  const { status, code } = await rig.ask('GET', url, { token });
  return [status, code];
}

describe('the changes of a feed', () => {
  it('list creations, changes and deletions by number, with the current report', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const a = await rig.report(service, researcher.token, { c2Address: 'a.example:1' });
    const b = await rig.report(service, researcher.token, { c2Address: 'b.example:1' });
    await rig.answer(service, a, owner.token, { status: 'acknowledged' });
    await rig.remove(service, b, researcher.token);
    const { changes, ...rest } = await read(service);
    assert.deepEqual(
      changes.map(({ sequence, type, id }) => [sequence, type, id]),
      [
        [1, 'created', a],
        [2, 'created', b],
        [3, 'updated', a],
        [4, 'deleted', b],
      ],
    );
    assert.deepEqual(rest, { next: 4, head: 4, hasMore: false, successful: true });
    assert.equal(changes[0]?.report?.status, 'acknowledged');
    assert.equal(changes[0]?.report?.sequence, 3);
    assert.deepEqual(Object.keys(changes[1] ?? {}), ['sequence', 'type', 'id']);
    assert.equal(changes[3]?.deletedAt, '2026-08-26T10:00:00Z');
    assert.ok(!('report' in (changes[3] ?? {})));
  });

  it('come in pages that miss and repeat nothing', async () => {
    const service = await rig.service();
    for (let count = 0; count < 7; count += 1)
      await rig.report(service, researcher.token, { c2Address: `evil.example:${count + 1}` });
    const numbers: number[] = [];
    let since = 0;
    for (let isMore = true; isMore; ) {
      const { changes, next, head, hasMore } = await read(service, `?since=${since}&limit=3`);
      numbers.push(...changes.map(({ sequence }) => sequence));
      assert.equal(head, 7);
      since = next;
      isMore = hasMore;
    }
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual((await read(service, '?since=7')).changes, []);
  });

  it('are empty after the head, which can be requested', async () => {
    const service = await rig.service();
    assert.deepEqual((await read(service, '?since=head')).next, 0);
    await rig.report(service, researcher.token);
    assert.deepEqual(await read(service, '?since=head'), {
      changes: [],
      next: 1,
      head: 1,
      hasMore: false,
      successful: true,
    });
  });

  it('are refused after a sequence that was never assigned', async () => {
    const service = await rig.service();
    await rig.report(service, researcher.token);
    assert.deepEqual(await codeOf(`/feed/${service}/changes?since=2`), [400, 'since_ahead']);
    const url = `/feed/${service}/changes?since=${Number.MAX_SAFE_INTEGER}`;
    assert.deepEqual(await codeOf(url), [400, 'since_ahead']);
  });

  for (const query of [
    'since=-1',
    'since=x',
    'since=1.5',
    'since=',
    'limit=0',
    'limit=1001',
    'after=1',
  ])
    it(`are refused for the query ${query}`, async () => {
      const service = await rig.service();
      assert.deepEqual(await codeOf(`/feed/${service}/changes?${query}`), [400, 'invalid_query']);
    });

  it('are refused if they were pruned, with the way to start again', async (test) => {
    const own = await ownRig(test);
    const service = await own.service();
    const { token: its } = await own.researcher();
    await own.report(service, its, { c2Address: 'a.example:1' });
    own.clock.advance(1000);
    const before = own.clock.now();
    await own.report(service, its, { c2Address: 'b.example:1' });
    await own.deps.store.feeds.deleteOldChanges(before, 100);
    const ask = (query: string) =>
      own.ask('GET', `/feed/${service}/changes${query}`, { token: its });
    const refused = await ask('?since=0');
    assert.deepEqual([refused.status, refused.code], [410, 'changes_dropped']);
    assert.match(String(refused.json['error']), /since=head.*list all reports.*"next"/s);
    assert.equal((await ask('')).status, 410);
    assert.deepEqual((await ask('?since=1')).json['next'], 2);
    assert.deepEqual((await ask('?since=head')).json['next'], 2);
    const all = await own.ask('GET', '/feed/all/changes', { token: its });
    assert.deepEqual([all.status, all.code], [410, 'changes_dropped']);
  });

  it('are open to any active account, for an existing service', async () => {
    assert.equal((await rig.ask('GET', '/feed/x/changes')).code, 'token_missing');
    assert.deepEqual(await codeOf('/feed/nobody/changes'), [404, 'unknown_service']);
  });
});

describe('the changes of all feeds', () => {
  it('number each feed without gaps, and continue from a position in all feeds', async () => {
    const services = [await rig.service(), await rig.service()];
    const { next: begin } = await read<string>('all', '?since=head');
    for (let count = 0; count < 5; count += 1)
      for (const service of services) await rig.report(service, researcher.token);
    const seen = new Map<string, number>();
    let since = begin;
    for (let isMore = true; isMore; ) {
      const page = await read<string>('all', `?since=${since}&limit=3`);
      for (const { service = '', sequence } of page.changes) {
        assert.equal(sequence, (seen.get(service) ?? 0) + 1);
        seen.set(service, sequence);
      }
      since = page.next;
      isMore = page.hasMore;
    }
    assert.deepEqual(seen, new Map(services.map((service) => [service, 5])));
    const { changes, head } = await read<string>('all', `?since=${since}`);
    assert.deepEqual(changes, []);
    assert.deepEqual((await read<string>('all', `?since=${head}`)).changes, []);
  });

  it('include a service that was added later', async () => {
    const { next } = await read<string>('all', '?since=head');
    const service = await rig.service();
    const id = await rig.report(service, researcher.token);
    const { changes } = await read<string>('all', `?since=${next}`);
    assert.deepEqual(
      changes.map((change) => [change.service, change.sequence, change.id]),
      [[service, 1, id]],
    );
  });

  it('start with the first change by default and for 0', async (test) => {
    const own = await ownRig(test);
    await own.report(await own.service(), (await own.researcher()).token);
    for (const query of ['', '?since=0']) {
      const { json } = await own.ask('GET', `/feed/all/changes${query}`, { token: own.admin });
      assert.equal((json['changes'] as unknown[]).length, 1);
    }
  });

  for (const since of ['1', 'x', '', 'AAAA', '-1'])
    it(`are refused after ${JSON.stringify(since)}`, async () => {
      assert.deepEqual(await codeOf(`/feed/all/changes?since=${since}`), [400, 'invalid_cursor']);
    });

  it('are refused after a cursor of a list', async () => {
    const service = await rig.service();
    for (const port of [1, 2])
      await rig.report(service, researcher.token, { c2Address: `evil.example:${port}` });
    const { json } = await rig.ask('GET', '/feed/all/reports?limit=1', { token });
    const url = `/feed/all/changes?since=${json['nextCursor']}`;
    assert.deepEqual(await codeOf(url), [400, 'invalid_cursor']);
  });
});
