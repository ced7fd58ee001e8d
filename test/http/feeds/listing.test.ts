import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { BASE_URL, openRig, ownRig, type WireExtended } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();
const { token } = await rig.reader();

interface Page {
  readonly reports: readonly WireExtended[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
  readonly total?: number;
  readonly successful: boolean;
}

async function list(feed: string, query = ''): Promise<Page> {
  const answer = await rig.ask('GET', `/feed/${feed}/reports${query}`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Page;
}

async function refusal(url: string, caller: string | undefined = token) {
  const { status, code, json } = await rig.ask('GET', url, { token: caller });
  return { status, code, error: String(json['error']) };
}

/**
 * Creates a feed with `count` reports, each with its own port, and returns their ids, oldest first.
 */
async function feedOf(count: number, members: Readonly<Record<string, unknown>> = {}) {
  const service = await rig.service();
  const ids: string[] = [];
  for (let port = 1; port <= count; port += 1) {
    const c2Address = `evil.example:${port}`;
    ids.push(await rig.report(service, researcher.token, { c2Address, ...members }));
  }
  return { service, ids };
}

const idsOf = ({ reports }: Page) => reports.map(({ id }) => id);

describe('the list of a feed', () => {
  it('has extended reports, the newest first', async () => {
    const { service, ids } = await feedOf(3);
    const page = await list(service);
    assert.deepEqual(idsOf(page), ids.toReversed());
    assert.deepEqual(page.reports[0], {
      ...(await rig.fetched(service, ids[2] ?? '')),
      service,
      sequence: 3,
      status: 'open',
      statusReason: null,
      updatedAt: '2026-08-26T10:00:00Z',
      expiresAt: '2026-11-24T10:00:00Z',
      corroboration: 0,
      sightings: 1,
      recurrence: false,
      confirmation: 'unknown',
      misrouted: false,
      routedTo: null,
      knownAs: [],
    });
    const { reports: _, ...rest } = page;
    assert.deepEqual(rest, { nextCursor: null, hasMore: false, successful: true });
  });

  it('is empty if there are no reports', async () => {
    const page = await list(await rig.service());
    assert.deepEqual(page, { reports: [], nextCursor: null, hasMore: false, successful: true });
  });

  for (const order of ['desc', 'asc'])
    it(`returns every report once over its pages in the order ${order}, with any limits`, async () => {
      const { service, ids } = await feedOf(7);
      const seen: string[] = [];
      let cursor = '';
      for (const limit of [1, 3, 2, 1000]) {
        const page = await list(service, `?order=${order}&limit=${limit}${cursor}`);
        seen.push(...idsOf(page));
        if (!page.hasMore) break;
        assert.equal(page.reports.length, limit);
        cursor = `&cursor=${page.nextCursor}`;
      }
      assert.deepEqual(seen, order === 'asc' ? ids : ids.toReversed());
    });

  it('continues at its position despite concurrent creations and deletions', async () => {
    const { service, ids } = await feedOf(6);
    const first = await list(service, '?limit=2');
    await rig.report(service, researcher.token, { c2Address: 'new.example:1' });
    await rig.remove(service, ids[4] ?? '', researcher.token);
    await rig.remove(service, ids[3] ?? '', researcher.token);
    const second = await list(service, `?limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual(idsOf(second), [ids[2], ids[1]]);
  });

  it('links to its next page with the configured base URL and the filters of this one', async () => {
    const { service } = await feedOf(3, { tags: ['a b', 'c&d'] });
    const url = `/feed/${service}/reports?limit=2&tag=a%20b&tag=c%26d`;
    const headers = { host: 'elsewhere.example' };
    const answer = await rig.ask('GET', url, { token, headers });
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(answer.headers['link'] ?? '') ?? [];
    assert.ok(next.startsWith(`${BASE_URL}/feed/${service}/reports?`), next);
    assert.deepEqual(new URL(next).searchParams.getAll('tag'), ['a b', 'c&d']);
    const last = await rig.ask('GET', next.slice(BASE_URL.length), { token });
    assert.equal((last.json['reports'] as unknown[]).length, 1);
    assert.equal(last.headers['link'], undefined);
  });

  it('counts the reports on request', async () => {
    const { service } = await feedOf(3);
    assert.equal((await list(service, '?limit=1&count=true')).total, 3);
    assert.equal((await list(service, '?count=true&port=2')).total, 1);
    assert.ok(!('total' in (await list(service, '?count=false'))));
    assert.ok(!('totalIsLowerBound' in (await list(service, '?count=true'))));
  });

  it('is open to any active account', async () => {
    const { service } = await feedOf(0);
    const url = `/feed/${service}/reports`;
    assert.equal((await rig.ask('GET', url)).code, 'token_missing');
    assert.equal((await refusal('/feed/nobody/reports')).code, 'unknown_service');
  });
});

describe('a filter of a list', () => {
  it('selects matching reports, alone and with others', async () => {
    const service = await rig.service();
    const other = await rig.researcher();
    const hash = sha256Of('the other file');
    const report = (members: Readonly<Record<string, unknown>>, caller = researcher) =>
      rig.report(service, caller.token, members);
    const a = await report({ c2Address: 'a.example:1', tags: ['x', 'y'], confidenceScore: 10 });
    const b = await report({ c2Address: 'a.example:2', tags: ['x'], confidenceScore: 60 }, other);
    const c = await report({ c2Address: '[2001:db8::1]:2', file256Hash: hash, tags: ['y'] });
    for (const [query, ids] of [
      ['tag=x', [b, a]],
      ['tag=x&tag=y', [a]],
      ['tag=z', []],
      ['host=a.example', [b, a]],
      ['host=A[.]example', [b, a]],
      ['host=2001:db8::1', [c]],
      ['host=%5B2001:db8:0::1%5D', [c]],
      ['domain=a.example', [b, a]],
      ['domain=EXAMPLE', [b, a]],
      ['domain=example&port=2', [b]],
      ['domain=xample', []],
      ['domain=b.a.example', []],
      ['domain=_.example', []],
      ['name=x', [b, a]],
      ['name=X', [b, a]],
      ['port=2', [c, b]],
      ['c2=a.example:2', [b]],
      ['c2=%5B2001:db8::1%5D:2', [c]],
      [`hash=${hash.toUpperCase()}`, [c]],
      [`reporter=${other.name}`, [b]],
      ['reporter=nobody', []],
      ['min_confidence=50', [c, b]],
      ['min_confidence=61', []],
      ['status=open', [c, b, a]],
      ['status=rejected', []],
      ['host=a.example&port=2&tag=x&status=open&min_confidence=1', [b]],
      ['order=asc&port=2', [b, c]],
    ] as const)
      assert.deepEqual(idsOf(await list(service, `?${query}`)), ids, query);
  });

  it('by time includes its start and excludes its end, so that adjacent intervals do not overlap', async (test) => {
    const own = await ownRig(test);
    const service = await own.service();
    const { token: its } = await own.researcher();
    const ids: string[] = [];
    for (const time of ['10:00:00', '10:00:01', '10:00:02']) {
      own.clock.set(`2026-08-26T${time}.000Z`);
      ids.push(await own.report(service, its));
    }
    const listed = async (query: string) => {
      const { json } = await own.ask('GET', `/feed/${service}/reports?${query}`, { token: its });
      return (json['reports'] as WireExtended[]).map(({ id }) => id);
    };
    assert.deepEqual(await listed('created_after=2026-08-26T10:00:01Z'), [ids[2], ids[1]]);
    assert.deepEqual(await listed('created_before=2026-08-26T10:00:02Z'), [ids[1], ids[0]]);
    const both = 'created_after=2026-08-26T10:00:01Z&created_before=2026-08-26T10:00:02Z';
    assert.deepEqual(await listed(both), [ids[1]]);
  });

  for (const query of [
    'limit=0',
    'limit=-5',
    'limit=1001',
    'limit=ten',
    'limit=',
    'limit=1&limit=2',
    'order=newest',
    'port=0',
    'hash=abc',
    'status=closed',
    'created_after=yesterday',
    'min_confidence=-1',
    'tag=',
    'host=a%20b',
    'domain=a%20b',
    'domain=%25',
    'c2=evil.example',
    'c2=evil.example:80&port=80',
    'count=1',
    'tags=x',
    'Limit=5',
    'offset=5',
    '__proto__=x',
  ])
    it(`with ${query} is refused, and the error names the parameter`, async () => {
      const { service } = await feedOf(0);
      for (const feed of [service, 'all']) {
        const { status, code, error } = await refusal(`/feed/${feed}/reports?${query}`);
        assert.equal(status, 400);
        assert.equal(code, 'invalid_query');
        assert.ok(error.includes(query.split('=')[0] ?? ''), error);
      }
    });
});

describe('a cursor', () => {
  it('is valid only for its own list', async () => {
    const { service } = await feedOf(3);
    const { service: other } = await feedOf(3);
    const { nextCursor } = await list(service, '?limit=1&port=1&host=evil.example&order=asc');
    assert.equal(nextCursor, null);
    const { nextCursor: cursor } = await list(service, '?limit=1&host=evil.example');
    for (const url of [
      `/feed/${other}/reports?host=evil.example&cursor=${cursor}`,
      `/feed/all/reports?host=evil.example&cursor=${cursor}`,
      `/feed/${service}/reports?cursor=${cursor}`,
      `/feed/${service}/reports?host=other.example&cursor=${cursor}`,
      `/feed/${service}/reports?host=evil.example&order=asc&cursor=${cursor}`,
      `/feed/${service}/reports?host=evil.example&status=open&cursor=${cursor}`,
    ])
      assert.deepEqual(
        [(await refusal(url)).status, (await refusal(url)).code],
        [400, 'invalid_cursor'],
        url,
      );
    const same = `?order=desc&cursor=${cursor}&limit=7&host=EVIL.example&count=true`;
    assert.equal((await list(service, same)).reports.length, 2);
  });

  it('is refused if it is forged or changed', async () => {
    const { service } = await feedOf(2);
    const { nextCursor } = await list(service, '?limit=1');
    const cursor = nextCursor ?? '';
    for (const bad of [
      '',
      '1',
      'null',
      `${cursor}A`,
      `${cursor}=`,
      cursor.slice(0, -1),
      cursor.toLowerCase(),
      `B${cursor.slice(1)}`,
      'A'.repeat(3000),
      '%00',
      '../../etc/passwd',
    ])
      assert.equal(
        (await refusal(`/feed/${service}/reports?cursor=${bad}`)).code,
        'invalid_cursor',
      );
  });

  it('of another installation is refused', async (test) => {
    const own = await ownRig(test);
    await own.service({ slug: 'twin' });
    const { token: its } = await own.researcher();
    for (const port of [1, 2]) await own.report('twin', its, { c2Address: `evil.example:${port}` });
    const { json } = await own.ask('GET', '/feed/twin/reports?limit=1', { token: its });
    await rig.service({ slug: 'twin' });
    const url = `/feed/twin/reports?limit=1&cursor=${json['nextCursor']}`;
    assert.equal((await refusal(url)).code, 'invalid_cursor');
  });
});

describe('the list of all feeds', () => {
  it('has the reports of every feed by creation time, each once and with its service', async (test) => {
    const own = await ownRig(test);
    const services = [await own.service(), await own.service(), await own.service()];
    const { token: its, name } = await own.researcher();
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) {
      own.clock.advance(1000);
      ids.push(await own.report(services[count % 3] ?? '', its));
    }
    const seen: WireExtended[] = [];
    let cursor = '';
    do {
      const url = `/feed/all/reports?limit=4&order=asc&reporter=${name}${cursor}`;
      const { json } = await own.ask('GET', url, { token: its });
      seen.push(...(json['reports'] as WireExtended[]));
      cursor = json['hasMore'] ? `&cursor=${json['nextCursor']}` : '';
    } while (cursor !== '');
    assert.deepEqual(
      seen.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(
      seen.map(({ service }) => service),
      [...services, ...services, ...services],
    );
  });

  it('is read-only', async () => {
    for (const [method, url] of [
      ['POST', '/feed/all/reports'],
      ['PATCH', '/feed/all/reports'],
      ['DELETE', '/feed/all/changes'],
    ] as const)
      assert.equal((await rig.ask(method, url, { token: researcher.token })).status, 405);
    assert.equal((await rig.create('all', researcher.token)).code, 'unknown_service');
  });
});

describe('one report in full', () => {
  it('is returned with its status and history', async () => {
    const { service, ids } = await feedOf(1);
    const answer = await rig.ask('GET', `/feed/${service}/reports/${ids[0]?.toUpperCase()}`, {
      token,
    });
    assert.equal(answer.status, 200);
    const { reports } = await list(service);
    const added = { confirmation: 'unknown', c2Rejected: false, evidence: null };
    const examined = { ...(reports[0] as object), ...added };
    assert.deepEqual(answer.json, { report: examined, successful: true });
  });

  it('is not found in another feed, after its deletion, or with an unknown id', async () => {
    const { service, ids } = await feedOf(2);
    const { service: other } = await feedOf(0);
    await rig.remove(service, ids[1] ?? '', researcher.token);
    const texts = new Set<string>();
    for (const url of [
      `/feed/${other}/reports/${ids[0]}`,
      `/feed/${service}/reports/${ids[1]}`,
      `/feed/${service}/reports/01a03d83-2500-7000-8000-000000000000`,
    ]) {
      const { status, code, error } = await refusal(url);
      assert.deepEqual([status, code], [404, 'unknown_report']);
      texts.add(error);
    }
    assert.equal(texts.size, 1);
    assert.equal((await refusal(`/feed/${service}/reports/x`)).code, 'invalid_query');
  });
});
