import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();
const { token } = await rig.reader({ limit: 0, period: 'none' });

interface Ioc {
  readonly id: string;
  readonly ioc: string;
  readonly ioc_type: string;
  readonly threat_type: string;
  readonly confidence_level: number;
  readonly malware_printable: string;
  readonly first_seen: string;
}

interface Reply {
  readonly query_status: string;
  readonly data?: readonly Ioc[];
  readonly message?: string;
}

async function query(body: unknown): Promise<Reply> {
  const { status, json, text } = await rig.ask('POST', '/threatfox/api/v1/', { token, body });
  assert.equal(status, 200, text);
  return json as unknown as Reply;
}

const iocsOf = ({ data = [] }: Reply) => data.map(({ ioc }) => ioc);
const hash = (digit: string) => digit.repeat(64);

const service = await rig.service({ confidenceScale: 5 });
const owner = await rig.owner(service);
await rig.report(service, researcher.token, {
  c2Address: '45.7.113.7:4444',
  file256Hash: hash('a'),
  tags: ['AsyncRAT'],
  confidenceScore: 4,
});
await rig.report(service, researcher.token, {
  c2Address: 'c2.evil.example:443',
  file256Hash: hash('b'),
});
await rig.report(service, researcher.token, {
  c2Address: '[2a01:db8::7]:8443',
  file256Hash: hash('b'),
});
const rejected = await rig.report(service, researcher.token, {
  c2Address: '45.7.113.99:1',
  file256Hash: hash('d'),
});
await rig.answer(service, rejected, owner.token, { status: 'rejected' });

/** The data of an answer that is no list of indicators. */
async function dataOf(body: unknown): Promise<unknown> {
  const { query_status, data } = await query(body);
  assert.equal(query_status, 'ok');
  return data;
}

describe('the API of ThreatFox', () => {
  it('returns the indicators of the last days, newest first', async () => {
    const reply = await query({ query: 'get_iocs', days: 1 });
    assert.equal(reply.query_status, 'ok');
    assert.deepEqual(iocsOf(reply), [
      '2a01:db8::7:8443',
      hash('b'),
      'c2.evil.example',
      hash('b'),
      '45.7.113.7:4444',
      hash('a'),
    ]);
    const last = reply.data?.at(-2);
    assert.equal(last?.confidence_level, 80);
    assert.equal(last?.malware_printable, 'AsyncRAT');
    assert.match(last?.first_seen ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  });

  it('reads JSON whatever the content type says', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', undefined]) {
      const { statusCode, payload } = await rig.app.inject({
        method: 'POST',
        url: '/threatfox/api/v1/',
        headers: { 'auth-key': token, ...(type !== undefined && { 'content-type': type }) },
        payload: Buffer.from('{ "query": "get_iocs" }'),
      });
      assert.equal(statusCode, 200, String(type));
      assert.equal(JSON.parse(payload).data.length, 6);
    }
  });

  it('finds an indicator by its whole text', async () => {
    const search = (search_term: string) =>
      query({ query: 'search_ioc', search_term, exact_match: true });
    for (const text of ['45.7.113.7:4444', 'c2.evil.example', '2a01:db8::7:8443', hash('a')])
      assert.deepEqual(iocsOf(await search(text)), [text]);
    for (const text of ['45.7.113.7', '45.7.113.7:4', 'evil.example', '45.7.113.99:1', 'evil'])
      assert.deepEqual(await search(text), { query_status: 'no_result' }, text);
  });

  it('finds an indicator by a part of it', async () => {
    const search = (search_term: string) => query({ query: 'search_ioc', search_term });
    assert.deepEqual(iocsOf(await search('45.7.113.7')), ['45.7.113.7:4444']);
    assert.deepEqual(iocsOf(await search('C2.evil.example')), ['c2.evil.example']);
    assert.deepEqual(iocsOf(await search('evil.example')), ['c2.evil.example']);
    assert.deepEqual(iocsOf(await search('2a01:db8::7')), ['2a01:db8::7:8443']);
    assert.deepEqual(iocsOf(await search('c2.evil.example:443')), ['c2.evil.example']);
  });

  it('finds the C2s of a file', async () => {
    const reply = await query({ query: 'search_hash', hash: hash('B') });
    assert.deepEqual(iocsOf(reply), ['2a01:db8::7:8443', 'c2.evil.example']);
    assert.deepEqual(await query({ query: 'search_hash', hash: hash('0') }), {
      query_status: 'no_result',
    });
  });

  it('returns one indicator by its id', async () => {
    const { data = [] } = await query({ query: 'get_iocs', days: 1 });
    for (const ioc of data) {
      const { json } = await rig.ask('POST', '/threatfox/api/v1/', {
        token,
        body: { query: 'ioc', id: ioc.id },
      });
      assert.deepEqual(json, { query_status: 'ok', data: ioc });
    }
    assert.deepEqual(await query({ query: 'ioc', id: '999999999' }), { query_status: 'no_result' });
  });

  it('finds the indicators of a tag, up to the limit', async () => {
    const tagged = await query({ query: 'taginfo', tag: 'AsyncRAT' });
    assert.deepEqual(iocsOf(tagged), ['45.7.113.7:4444', hash('a')]);
    const first = await query({ query: 'taginfo', tag: 'AsyncRAT', limit: 1 });
    assert.deepEqual(iocsOf(first), ['45.7.113.7:4444']);
    const none = await query({ query: 'taginfo', tag: 'nothing', limit: '10' });
    assert.deepEqual(none, { query_status: 'no_result' });
  });

  it('finds the indicators of malware by its name, whatever its case', async () => {
    for (const malware of ['AsyncRAT', 'asyncrat', 'ASYNCRAT'])
      assert.deepEqual(iocsOf(await query({ query: 'malwareinfo', malware, limit: 10 })), [
        '45.7.113.7:4444',
        hash('a'),
      ]);
    assert.deepEqual(await query({ query: 'malwareinfo', malware: 'none' }), {
      query_status: 'no_result',
    });
  });

  it('lists names, tags and types', async () => {
    const names = (await dataOf({ query: 'malware_list' })) as Record<string, unknown>;
    assert.deepEqual(names['asyncrat'], { malware_printable: 'AsyncRAT', malware_alias: null });
    const tags = (await dataOf({ query: 'tag_list' })) as Record<string, Record<string, unknown>>;
    assert.match(String(tags['AsyncRAT']?.['first_seen']), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    assert.deepEqual(await dataOf({ query: 'get_label', malware: 'RAT', platform: 'win' }), [
      { malware: 'asyncrat', malware_printable: 'AsyncRAT' },
    ]);
    const types = (await dataOf({ query: 'types' })) as Record<string, { ioc_type: string }>;
    assert.deepEqual(
      Object.values(types).map(({ ioc_type }) => ioc_type),
      ['ip:port', 'domain', 'sha256_hash'],
    );
  });

  it('reads the key from either header of its clients', async () => {
    for (const header of ['auth-key', 'api-key']) {
      const { statusCode } = await rig.app.inject({
        method: 'POST',
        url: '/threatfox/api/v1/',
        headers: { [header]: token },
        payload: '{ "query": "types" }',
      });
      assert.equal(statusCode, 200, header);
    }
  });

  it('says what is right with status 200', async () => {
    const cases = [
      [{ query: 'get_iocs', days: 0 }, 'illegal_days'],
      [{ query: 'get_iocs', days: 8 }, 'illegal_days'],
      [{ query: 'get_iocs', days: 'x' }, 'illegal_days'],
      [{ query: 'search_ioc' }, 'illegal_search_term'],
      [{ query: 'search_ioc', search_term: '' }, 'illegal_search_term'],
      [{ query: 'search_hash', hash: 'd41d8cd98f00b204e9800998ecf8427e' }, 'illegal_hash'],
      [{ query: 'ioc', id: 'x' }, 'illegal_id'],
      [{ query: 'taginfo', tag: '' }, 'illegal_tag'],
      [{ query: 'taginfo', tag: ['AsyncRAT'] }, 'illegal_tag'],
      [{ query: 'taginfo', tag: 'AsyncRAT', limit: 0 }, 'illegal_limit'],
      [{ query: 'malwareinfo' }, 'illegal_malware'],
      [{ query: 'get_label', malware: 7 }, 'illegal_malware'],
      [{ query: 'tags' }, 'unknown_query'],
      [{}, 'unknown_query'],
      [[], 'illegal_json'],
      [null, 'illegal_json'],
      [undefined, 'illegal_json'],
    ] as const;
    for (const [body, status] of cases) {
      const reply = await query(body);
      assert.equal(reply.query_status, status);
      assert.notEqual(reply.message, undefined);
    }
  });

  it('refuses a caller without a key in the words of ThreatFox', async () => {
    for (const headers of [{}, { 'auth-key': 'wrong' }]) {
      const { statusCode, payload } = await rig.app.inject({
        method: 'POST',
        url: '/threatfox/api/v1/',
        headers,
        payload: { query: 'get_iocs' },
      });
      assert.equal(statusCode, 401);
      const { query_status, successful } = JSON.parse(payload);
      assert.deepEqual([query_status, successful], ['unknown_auth_key', false]);
    }
  });

  it('leaves out what is older', async () => {
    rig.clock.advance(3 * 24 * 3_600_000);
    assert.deepEqual(await query({ query: 'get_iocs', days: 2 }), { query_status: 'no_result' });
    assert.equal((await query({ query: 'get_iocs', days: 7 })).data?.length, 6);
  });
});

describe('submit_ioc of ThreatFox', () => {
  const IOC = {
    query: 'submit_ioc',
    threat_type: 'botnet_cc',
    ioc_type: 'ip:port',
    malware: 'win.asyncrat',
    confidence_level: 75,
    tags: ['campaign'],
    iocs: ['45.8.113.7:4444'],
  };
  const sample = `https://bazaar.abuse.ch/sample/${hash('c')}/`;
  const send = (body: unknown, caller = researcher.token) =>
    rig.ask('POST', '/threatfox/api/v1/', { token: caller, body });

  it('creates a report for each indicator, in the named feed', async () => {
    const feed = await rig.service({ confidenceScale: 20 });
    const iocs = ['45.8.113.7:4444', 'https://c2.ply.example/gate', 'no-port.example', 'x y'];
    const { status, json } = await send({ ...IOC, service: feed, iocs, reference: sample });
    assert.equal(status, 200);
    assert.deepEqual(json, {
      query_status: 'ok',
      data: { ok: iocs.slice(0, 2), ignored: iocs.slice(2), duplicated: [] },
    });
    const { json: list } = await rig.ask('GET', `/feed/${feed}/reports`, { token });
    const reports = list['reports'] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(reports.map(({ c2Address }) => c2Address).sort(), [
      '45.8.113.7:4444',
      'c2.ply.example:443',
    ]);
    for (const report of reports) {
      assert.equal(report['file256Hash'], hash('c'));
      assert.deepEqual(report['tags'], ['asyncrat', 'campaign']);
      assert.equal(report['confidenceScore'], 15);
      assert.equal(report['referenceLink'], sample);
    }
  });

  it('finds the feed by the host, and ignores hosts that nobody can answer for', async () => {
    const feed = await rig.service({ hosts: ['*.routed.example'] });
    const [declared, undeclared, reserved] = [
      'a.routed.example:1',
      'a.unrouted.example:1',
      '10.1.2.3:1',
    ];
    const iocs = [declared, undeclared, reserved];
    const { json } = await send({ ...IOC, iocs, hash: hash('c') });
    const expected = { ok: [declared, undeclared], ignored: [reserved], duplicated: [] };
    assert.deepEqual(json['data'], expected);
    for (const [slug, c2] of [
      [feed, declared],
      ['unclaimed', undeclared],
    ]) {
      const { json: list } = await rig.ask('GET', `/feed/${slug}/reports`, { token });
      const reports = list['reports'] as readonly { readonly c2Address: string }[];
      assert.deepEqual(
        reports.map(({ c2Address }) => c2Address),
        [c2],
      );
    }
  });

  it('takes no confidence for the lowest, and none given for the default', async () => {
    const feed = await rig.service();
    await send({ ...IOC, service: feed, hash: hash('c'), confidence_level: 0 });
    await send({ ...IOC, service: feed, hash: hash('c'), confidence_level: undefined });
    const { json: list } = await rig.ask('GET', `/feed/${feed}/reports`, { token });
    const reports = list['reports'] as readonly { readonly confidenceScore: number }[];
    assert.deepEqual(reports.map(({ confidenceScore }) => confidenceScore).sort(), [0, 50]);
  });

  it('needs the role of a researcher, and a service that exists', async () => {
    assert.equal((await send({ ...IOC, hash: hash('c') }, token)).status, 403);
    assert.equal((await send({ ...IOC, hash: hash('c'), service: 'absent' })).status, 404);
  });

  it('says what is missing', async () => {
    const whole = { ...IOC, hash: hash('c') };
    const cases = [
      [IOC, 'illegal_hash'],
      [{ ...whole, hash: 7 }, 'illegal_hash'],
      [{ ...IOC, comment: `${hash('c')}0` }, 'illegal_hash'],
      [{ ...whole, threat_type: 'payload' }, 'illegal_threat_type'],
      [{ ...whole, iocs: [] }, 'illegal_iocs'],
      [{ ...whole, iocs: Array.from({ length: 101 }, () => '45.8.113.7:1') }, 'illegal_iocs'],
      [{ ...whole, iocs: [{}] }, 'illegal_iocs'],
      [{ ...whole, iocs: '45.8.113.7:1' }, 'illegal_iocs'],
      [{ ...whole, tags: ['a\nb'] }, 'illegal_tags'],
      [{ ...whole, tags: {} }, 'illegal_tags'],
      [{ ...whole, confidence_level: 101 }, 'illegal_confidence_level'],
      [{ ...whole, service: 7 }, 'illegal_service'],
    ] as const;
    for (const [body, expected] of cases) {
      const { status, json } = await send(body);
      assert.deepEqual([status, json['query_status']], [200, expected]);
    }
  });
});
