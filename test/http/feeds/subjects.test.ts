import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MAX_NOTE_LENGTH } from '../../../src/domain/reports/desk.ts';
import { sha256Of } from '../../builders.ts';
import { openRig, ownRig, type WireExamined, type WireExtended } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();
const { token } = await rig.reader({ limit: 0, period: 'none' });
const ask = (url: string) => rig.ask('GET', url, { token });

interface WireReports {
  readonly total: number;
  readonly totalIsLowerBound?: true;
  readonly statuses: Readonly<Record<string, number>>;
  readonly firstReportedAt: string | null;
  readonly lastReportedAt: string | null;
  readonly countedSince: string | null;
  readonly feeds: readonly {
    readonly service: string;
    readonly total: number;
    readonly statuses: Readonly<Record<string, number>>;
  }[];
  readonly reporters: unknown;
  readonly days: readonly { readonly day: string; readonly reports: number }[];
  readonly newest: readonly WireExtended[];
  readonly list: string;
}

describe('the list of services', () => {
  it('has pages by slug, for any live account', async (test) => {
    const own = await ownRig(test);
    const slugs: string[] = [];
    for (let made = 0; made < 3; made += 1)
      slugs.push(await own.service({ hosts: [`*.s${made}.example`] }));
    const reader = await own.reader();
    const first = await own.ask('GET', '/api/services?limit=2', { token: reader.token });
    assert.equal(first.status, 200);
    assert.deepEqual(Object.keys(first.json), ['services', 'nextCursor', 'hasMore', 'successful']);
    assert.equal(first.json['hasMore'], true);
    const cursor = encodeURIComponent(String(first.json['nextCursor']));
    const second = await own.ask('GET', `/api/services?limit=2&cursor=${cursor}`, {
      token: reader.token,
    });
    assert.deepEqual([second.json['hasMore'], second.json['nextCursor']], [false, null]);
    const all = [first, second].flatMap(({ json }) => json['services'] as { slug: string }[]);
    assert.deepEqual(
      all.map(({ slug }) => slug),
      [...slugs, 'unclaimed'].toSorted(),
    );
    const refused = await own.ask('GET', '/api/services?cursor=x', { token: reader.token });
    assert.equal(refused.code, 'invalid_cursor');
    assert.equal((await own.ask('GET', '/api/services')).code, 'token_missing');
  });

  it('states what a researcher needs to choose a feed, and how many reports are open', async () => {
    const own = { name: 'Ply', confidenceScale: 10, hosts: ['*.ply.example'], expireAfterDays: 9 };
    const service = await rig.service(own);
    const { token } = await rig.researcher();
    const shown = async () => {
      let url = '/api/services?limit=1000';
      for (;;) {
        const { json } = await rig.ask('GET', url, { token });
        const services = json['services'] as { slug: string }[];
        const found = services.find(({ slug }) => slug === service);
        if (found !== undefined) return found;
        url = `/api/services?limit=1000&cursor=${encodeURIComponent(String(json['nextCursor']))}`;
      }
    };
    assert.partialDeepStrictEqual(await shown(), { slug: service, ...own, openReports: 0 });
    const id = await rig.report(service, token);
    await rig.report(service, token);
    assert.partialDeepStrictEqual(await shown(), { openReports: 2 });
    const owner = await rig.owner(service);
    await rig.answer(service, id, owner.token, { status: 'actioned' });
    assert.partialDeepStrictEqual(await shown(), { openReports: 1 });
  });

  it('ends a page early that has very many hosts', async (test) => {
    const own = await ownRig(test);
    const hosts = Array.from({ length: 1000 }, (_, number) => `h${number}.example`);
    for (let made = 0; made < 24; made += 1) await own.service({ hosts });
    let url = '/api/services';
    const counts: number[] = [];
    for (;;) {
      const { json, text } = await own.ask('GET', url, { token: own.admin });
      counts.push((json['services'] as unknown[]).length);
      assert.ok(text.length < 100_000, `${text.length} bytes`);
      if (json['hasMore'] === false) break;
      url = `/api/services?cursor=${encodeURIComponent(String(json['nextCursor']))}`;
    }
    // With the built-in one, which has none.
    assert.deepEqual(counts, [4, 4, 4, 4, 4, 5]);
  });

  it('is sent to administrators in parts, with all services', async (test) => {
    const own = await ownRig(test);
    const none = await own.ask('GET', '/admin/services', { token: own.admin });
    assert.equal(none.status, 200);
    assert.partialDeepStrictEqual(none.json, { services: [{ slug: 'unclaimed', mail: null }] });
    const hosts = Array.from({ length: 1000 }, (_, number) => `h${number}.example`);
    const slugs: string[] = [];
    for (let made = 0; made < 12; made += 1) slugs.push(await own.service({ hosts }));
    const { json } = await own.ask('GET', '/admin/services', { token: own.admin });
    const listed = json['services'] as { slug: string; hosts: string[]; mail: unknown }[];
    assert.deepEqual(
      listed.map(({ slug }) => slug),
      [...slugs, 'unclaimed'].toSorted(),
    );
    const added = listed.filter(({ slug }) => slug !== 'unclaimed');
    assert.ok(added.every((one) => one.hosts.length === 1000 && one.mail === null));
  });
});

describe('the route of a C2', () => {
  it('names the service with the most specific pattern', async () => {
    const wide = await rig.service({ hosts: ['*.route.example'], networks: ['198.51.100.0/24'] });
    const narrow = await rig.service({
      hosts: ['*.eu.route.example'],
      networks: ['198.51.100.128/25', '2001:db8:77::/48'],
    });
    const cases: readonly [string, Record<string, unknown>][] = [
      [
        'a.route.example:443',
        {
          c2: 'a.route.example:443',
          host: 'a.route.example',
          service: wide,
          pattern: '*.route.example',
        },
      ],
      [
        'A.eu[.]route[.]example',
        { host: 'a.eu.route.example', service: narrow, pattern: '*.eu.route.example' },
      ],
      [
        '198.51.100.200:1',
        {
          c2: '198.51.100.200:1',
          host: '198.51.100.200',
          service: narrow,
          pattern: '198.51.100.128/25',
        },
      ],
      [
        '[2001:DB8:77::1]:80',
        {
          c2: '[2001:db8:77::1]:80',
          host: '2001:db8:77::1',
          service: narrow,
          pattern: '2001:db8:77::/48',
        },
      ],
      [
        'nobody.example',
        { host: 'nobody.example', service: null, feed: 'unclaimed', pattern: null },
      ],
      ['192.0.2.1', { host: '192.0.2.1', service: null, feed: null, pattern: null }],
    ];
    for (const [c2, expected] of cases) {
      const answer = await ask(`/api/route?c2=${encodeURIComponent(c2)}`);
      const { contacts, ...route } = answer.json;
      assert.ok(Array.isArray(contacts));
      const feed = expected['service'];
      assert.deepEqual(route, {
        feed,
        ...expected,
        verified: false,
        knownAs: [],
        successful: true,
      });
    }
  });

  it('refuses what is no address, and says what is one', async () => {
    for (const query of ['', '?c2=', '?c2=a%20b', '?c2=a:0', '?c2=a.b&c2=c.d', '?host=a.b']) {
      const { status, json } = await ask(`/api/route${query}`);
      assert.equal(status, 400);
      assert.match(String(json['error']), /"<host>:<port>" or a host/);
    }
  });
});

describe('what is known of a C2', () => {
  it('is counted over all feeds, with the newest reports', async (test) => {
    const own = await ownRig(test);
    const reporter = await own.researcher();
    const [one, other] = [
      await own.service({ hosts: ['*.ply.example'] }),
      await own.service({ hosts: [] }),
    ];
    const owner = await own.owner(one);
    const c2Address = 'tunnel.ply.example:4444';
    const first = await own.report(one, reporter.token, { c2Address, tags: ['rat'] });
    own.clock.advance(24 * 3_600_000);
    await own.report(one, reporter.token, { c2Address, tags: ['RAT'] });
    await own.report(other, reporter.token, { c2Address, tags: [] });
    await own.report(one, reporter.token, { c2Address: 'tunnel.ply.example:5555' });
    await own.answer(one, first, owner.token, { status: 'actioned', reason: 'taken_down' });
    const reader = await own.reader({ limit: 0, period: 'none' });
    const answer = await own.ask('GET', '/api/c2?c2=tunnel[.]ply[.]example:4444', {
      token: reader.token,
    });
    assert.equal(answer.status, 200, answer.text);
    const { reports, samples, families, ...others } = answer.json;
    assert.deepEqual(others, {
      c2: c2Address,
      host: 'tunnel.ply.example',
      service: one,
      feed: one,
      pattern: '*.ply.example',
      verified: false,
      knownAs: [],
      successful: true,
    });
    const { days, newest, feeds, reporters, ...counts } = reports as WireReports;
    assert.deepEqual(counts, {
      total: 3,
      statuses: { open: 2, acknowledged: 0, actioned: 1, rejected: 0, expired: 0 },
      firstReportedAt: '2026-08-26T10:00:00Z',
      lastReportedAt: '2026-08-27T10:00:00Z',
      countedSince: null,
      list: '/feed/all/reports?c2=tunnel.ply.example%3A4444',
    });
    assert.deepEqual(
      feeds.map(({ service, total, statuses }) => [service, total, statuses['open']]),
      [
        [one, 2, 1],
        [other, 1, 1],
      ],
    );
    assert.deepEqual(reporters, { total: 1, most: [{ name: reporter.name, reports: 3 }] });
    assert.equal(days.length, 90);
    assert.deepEqual(days.slice(-2), [
      { day: '2026-08-26', reports: 1 },
      { day: '2026-08-27', reports: 2 },
    ]);
    assert.equal(newest.length, 3);
    // Only owners and the reporter see who set the status.
    assert.equal(newest.at(-1)?.statusBy, undefined);
    assert.deepEqual(families, [{ name: 'RAT', reports: 2, samples: 0 }]);
    assert.deepEqual(samples, { newest: [], hasMore: false });
    const listed = await own.ask('GET', counts.list, { token: reader.token });
    assert.equal((listed.json['reports'] as unknown[]).length, 3);
    const host = await own.ask('GET', '/api/hosts?host=tunnel.ply.example', {
      token: reader.token,
    });
    assert.equal((host.json['reports'] as WireReports).total, 4);
    assert.equal('c2' in host.json, false);
  });

  it('is a lower bound for a host with very many reports', async () => {
    const service = await rig.service();
    const lines = Array.from({ length: 1010 }, (_, index) => ({
      c2Address: `busy.example:${1 + (index % 7)}`,
      file256Hash: sha256Of('busy'),
    }));
    assert.equal((await rig.bulk(service, researcher.token, lines)).status, 200);
    const reports = (await ask('/api/hosts?host=busy.example')).json['reports'] as WireReports;
    assert.equal(reports.total, 1000);
    assert.equal(reports.totalIsLowerBound, true);
    assert.notEqual(reports.countedSince, null);
    assert.equal(reports.newest.length, 20);
    assert.equal(reports.list, '/feed/all/reports?host=busy.example');
  });

  it('has the samples that name it, as a search shows them', async () => {
    const sha256 = await rig.uploaded('a program with settings');
    await rig.finish(sha256, { configs: { LANTERN: {} }, tags: [{ heat: 9, name: 'RAT' }] });
    for (const url of [
      '/api/c2?c2=c2.lantern.example:4444',
      '/api/hosts?host=c2.lantern.example',
    ]) {
      const { json } = await ask(url);
      assert.deepEqual(json['samples'], {
        newest: [{ sha256Hash: sha256, fileName: 'evil.exe', tags: [{ heat: 9, name: 'RAT' }] }],
        hasMore: false,
      });
      assert.deepEqual(json['families'], [{ name: 'LANTERN', reports: 0, samples: 1 }]);
    }
    const { json } = await ask('/api/c2?c2=c2.lantern.example:4445');
    assert.deepEqual(json['samples'], { newest: [], hasMore: false });
  });

  it('is nothing for an unknown address, and refused for none', async () => {
    const { json } = await ask('/api/c2?c2=[2001:db8::99]:1');
    const reports = json['reports'] as WireReports;
    assert.deepEqual([reports.total, reports.firstReportedAt, reports.newest], [0, null, []]);
    for (const url of ['/api/c2', '/api/c2?c2=host', '/api/hosts', '/api/hosts?host=a:b:c'])
      assert.equal((await ask(url)).code, 'invalid_query');
  });
});

describe('what belongs to a C2', () => {
  it('is free for any live account, and leaves out the C2 itself', async (test) => {
    const own = await ownRig(test);
    const reporter = await own.researcher();
    const service = await own.service();
    const sha256 = await own.uploaded('a program with settings');
    await own.finish(sha256, { configs: { LANTERN: {} } });
    for (const port of [4444, 22])
      await own.report(service, reporter.token, { c2Address: `c2.lantern.example:${port}` });
    await own.report(service, reporter.token, { c2Address: 'a.c2.lantern.example:1' });
    const reader = await own.reader({ limit: 0, period: 'none' });
    const ask = (c2: string) => own.ask('GET', `/api/related?c2=${c2}`, { token: reader.token });
    const c2 = 'c2.lantern.example:4444';
    const ofC2 = await ask('c2[.]lantern[.]example:4444');
    assert.equal(ofC2.status, 200, ofC2.text);
    const files = {
      newest: [
        {
          sha256Hash: sha256,
          fileName: 'evil.exe',
          c2s: [{ c2, family: 'LANTERN' }],
          hasMoreC2s: false,
        },
      ],
      hasMore: false,
    };
    const host = 'c2.lantern.example';
    const below = { hosts: ['a.c2.lantern.example'], hasMore: false };
    const sameHost = { c2s: [`${host}:22`], hasMore: false };
    assert.deepEqual(ofC2.json, { c2, host, files, sameHost, below, successful: true });
    const ofHost = await ask(host);
    assert.deepEqual(ofHost.json, {
      host,
      files,
      sameHost: { c2s: [`${host}:22`, c2], hasMore: false },
      below,
      successful: true,
    });
  });

  it('is nothing for an unknown address, and refused for none or without a token', async () => {
    const none = { hasMore: false };
    const { json } = await ask('/api/related?c2=[2001:db8::99]:1');
    assert.deepEqual(json, {
      c2: '[2001:db8::99]:1',
      host: '2001:db8::99',
      files: { newest: [], ...none },
      sameHost: { c2s: [], ...none },
      below: { hosts: [], ...none },
      successful: true,
    });
    for (const query of ['', '?c2=', '?c2=a%20b', '?host=a.example'])
      assert.equal((await ask(`/api/related${query}`)).code, 'invalid_query');
    assert.equal((await rig.ask('GET', '/api/related?c2=a.example')).status, 401);
  });
});

describe('the confirmation of a report', () => {
  async function shown(sha256: string, c2Address: string) {
    const service = await rig.service();
    const id = await rig.report(service, researcher.token, { file256Hash: sha256, c2Address });
    const { json } = await ask(`/feed/${service}/reports/${id}`);
    const { confirmation, evidence } = json['report'] as WireExamined;
    return { confirmation, evidence, service };
  }

  it('compares its C2 with the configuration in its file', async () => {
    const sha256 = await rig.uploaded('another program with settings');
    const before = await shown(sha256, 'c2.lantern.example:4444');
    assert.deepEqual([before.confirmation, before.evidence], ['unknown', null]);
    await rig.finish(sha256, { configs: { LANTERN: {} } });
    const named = await shown(sha256, 'c2.lantern.example:4444');
    assert.equal(named.confirmation, 'confirmed');
    assert.deepEqual(named.evidence, { family: 'LANTERN', c2s: ['c2.lantern.example:4444'] });
    for (const c2 of ['c2.lantern.example:4445', 'lantern.example:4444']) {
      const other = await shown(sha256, c2);
      assert.deepEqual([other.confirmation, other.evidence], ['contradicted', null]);
    }
    const { sha256Hash } = await rig.analyse('imported with settings');
    assert.equal((await shown(sha256Hash, 'c2.lantern.example:4444')).confirmation, 'unknown');
    const { json } = await ask(`/feed/${named.service}/reports`);
    const [listed] = json['reports'] as readonly { readonly confirmation: string }[];
    assert.equal(listed?.confirmation, 'confirmed');
  });
});

describe('the history of a report', () => {
  const historyOf = async (service: string, id: string, as = token) => {
    const { json } = await rig.ask('GET', `/feed/${service}/reports/${id}/history`, { token: as });
    return json['history'] as readonly Record<string, unknown>[];
  };

  it('has its creation and its statuses, with authors for owners and the reporter', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const id = await rig.report(service, researcher.token);
    const at = `${rig.clock.now().toISOString().slice(0, 19)}Z`;
    const created = { at, type: 'created', sequence: 1, by: researcher.name };
    assert.deepEqual(await historyOf(service, id), [created]);
    const note = 'ä'.repeat(MAX_NOTE_LENGTH);
    await rig.answer(service, id, owner.token, { status: 'rejected', reason: 'not_ours', note });
    await rig.answer(service, id, owner.token, { status: 'open' });
    const statuses = [
      { at, type: 'updated', sequence: 2, status: 'rejected', reason: 'not_ours', note },
      { at, type: 'updated', sequence: 3, status: 'open', reason: null },
    ];
    assert.deepEqual(await historyOf(service, id), [created, ...statuses]);
    for (const { token: as } of [owner, researcher])
      assert.deepEqual(await historyOf(service, id, as), [
        created,
        ...statuses.map((one) => ({ ...one, by: owner.name })),
      ]);
  });

  it('has the last change of another kind', async () => {
    const service = await rig.service();
    const file256Hash = sha256Of('named later');
    const id = await rig.report(service, researcher.token, { file256Hash });
    await rig.analyse('named later');
    const [, renamed, ...others] = await historyOf(service, id);
    assert.deepEqual(others, []);
    assert.deepEqual([renamed?.['type'], renamed?.['sequence']], ['updated', 2]);
    assert.equal('status' in (renamed ?? {}), false);
  });

  it('is not found for a deleted report, or in another feed', async () => {
    const service = await rig.service();
    const id = await rig.report(service, researcher.token);
    const elsewhere = await ask(`/feed/${await rig.service()}/reports/${id}/history`);
    assert.equal(elsewhere.code, 'unknown_report');
    await rig.remove(service, id, researcher.token);
    const answer = await ask(`/feed/${service}/reports/${id}/history`);
    assert.deepEqual([answer.status, answer.code], [404, 'unknown_report']);
    assert.equal((await ask(`/feed/${service}/reports/x/history`)).status, 400);
  });
});
