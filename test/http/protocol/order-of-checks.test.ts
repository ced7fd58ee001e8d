import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const service = await rig.service();
const { token: researcher } = await rig.researcher();
const { token: reader } = await rig.reader();
const JSON_TYPE = { 'content-type': 'application/json' };

/** A request with every error. Each test fixes those that are checked first. */
const WORST = { headers: { 'content-type': 'text/plain' }, payload: 'x'.repeat(100_000) };

describe('a create is refused first', () => {
  async function code(feed: string, asked: object): Promise<string | undefined> {
    return (await rig.ask('POST', `/feed/${feed}/api`, asked)).code;
  }

  it('for its token', async () => {
    assert.equal(await code('nobody', WORST), 'token_missing');
    assert.equal(await code('nobody', { ...WORST, token: 'rap_bad' }), 'token_invalid');
  });

  it('then for its role', async () => {
    assert.equal(await code('nobody', { ...WORST, token: reader }), 'role_missing');
  });

  it('then for its service', async () => {
    assert.equal(await code('nobody', { ...WORST, token: researcher }), 'unknown_service');
  });

  it('then for the type of its body', async () => {
    assert.equal(await code(service, { ...WORST, token: researcher }), 'unsupported_media_type');
  });

  it('then for its size', async () => {
    const asked = { ...WORST, headers: JSON_TYPE, token: researcher };
    assert.equal(await code(service, asked), 'body_too_large');
  });

  it('then for malformed JSON', async () => {
    const asked = { headers: JSON_TYPE, payload: '{', token: researcher };
    assert.equal(await code(service, asked), 'malformed_json');
  });

  it('then for its members', async () => {
    assert.equal(await code(service, { body: {}, token: researcher }), 'invalid_body');
  });

  it('then for its key', async () => {
    const headers = { 'idempotency-key': 'order' };
    await rig.create(service, researcher, {}, headers);
    const answer = await rig.create(service, researcher, { tags: ['x'] }, headers);
    assert.equal(answer.code, 'idempotency_key_reused');
  });
});

for (const method of ['GET', 'DELETE']) {
  describe(`a ${method} of a report is refused first`, () => {
    async function code(feed: string, query: string, token?: string) {
      return (await rig.ask(method, `/feed/${feed}/api${query}`, { token })).code;
    }

    it('for its token', async () => {
      assert.equal(await code('nobody', ''), 'token_missing');
      assert.equal(await code('nobody', '', 'rap_bad'), 'token_invalid');
    });

    it('then for its service', async () => {
      assert.equal(await code('nobody', '', reader), 'unknown_service');
      assert.equal(await code('', '', reader), 'unknown_service');
    });

    it('then for its query', async () => {
      assert.equal(await code(service, '?report=x', reader), 'invalid_query');
    });

    it('then for a missing report', async () => {
      const query = '?report=01a03d83-2500-7000-8000-000000000000';
      assert.equal(await code(service, query, reader), 'unknown_report');
    });
  });
}

describe('a lookup is refused first', () => {
  it('for its token, then for its quota, then for its hash', async () => {
    assert.equal((await rig.ask('GET', '/private/sample/x')).code, 'token_missing');
    const empty = await rig.reader({ limit: 0, period: 'none' });
    assert.equal((await rig.lookUp('x', empty.token)).code, 'quota_exhausted');
    assert.equal((await rig.lookUp('x', reader)).code, 'invalid_hash');
  });
});

describe('an upload is refused first', () => {
  it('for its token, then for its role, then for the type of its body, then for its members', async () => {
    const ask = async (asked: object) => (await rig.ask('POST', '/private/upload', asked)).code;
    assert.equal(await ask(WORST), 'token_missing');
    assert.equal(await ask({ ...WORST, token: 'rap_bad' }), 'token_invalid');
    assert.equal(await ask({ ...WORST, token: reader }), 'role_missing');
    assert.equal(await ask({ ...WORST, token: researcher }), 'unsupported_media_type');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    assert.equal(await ask({ ...WORST, headers, token: researcher }), 'malformed_multipart');
  });
});

describe('many lookups are refused first', () => {
  it('for their token, then for their body, then for their quota', async () => {
    const ask = async (asked: object) => (await rig.ask('POST', '/private/samples', asked)).code;
    const empty = await rig.reader({ limit: 0, period: 'none' });
    assert.equal(await ask(WORST), 'token_missing');
    assert.equal(await ask({ body: { hashes: [] }, token: empty.token }), 'invalid_body');
    assert.equal(await ask({ body: { hashes: ['x'] }, token: empty.token }), 'quota_exhausted');
  });
});

describe('an administrative call is refused first', () => {
  it('for its token, then for its role, then for its body', async () => {
    const ask = async (token?: string) =>
      (await rig.ask('POST', '/admin/accounts', { ...WORST, token })).code;
    assert.equal(await ask(), 'token_missing');
    assert.equal(await ask('rap_bad'), 'token_invalid');
    assert.equal(await ask(researcher), 'role_missing');
    assert.equal(await ask(rig.admin), 'unsupported_media_type');
  });

  it('for its role, whether or not the named resource exists', async () => {
    for (const url of ['/admin/accounts/admin', '/admin/accounts/nobody'])
      assert.equal((await rig.ask('GET', url, { token: researcher })).code, 'role_missing');
  });
});
