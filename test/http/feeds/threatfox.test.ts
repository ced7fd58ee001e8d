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

  it('says what is right with status 200', async () => {
    const cases = [
      [{ query: 'get_iocs', days: 0 }, 'illegal_days'],
      [{ query: 'get_iocs', days: 8 }, 'illegal_days'],
      [{ query: 'get_iocs', days: 'x' }, 'illegal_days'],
      [{ query: 'search_ioc' }, 'illegal_search_term'],
      [{ query: 'search_ioc', search_term: '' }, 'illegal_search_term'],
      [{ query: 'search_hash', hash: 'd41d8cd98f00b204e9800998ecf8427e' }, 'illegal_hash'],
      [{ query: 'ioc', id: 'x' }, 'illegal_id'],
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
