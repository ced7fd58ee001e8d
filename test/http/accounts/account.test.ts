import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { TokenUsage } from '../../../src/http/gate/token-usage.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const NO_SUCH_ID = '01a03d83-2500-7000-8000-000000000000';
const TOKEN_FIELDS = [
  'createdAt',
  'expiresAt',
  'hint',
  'id',
  'issuedBy',
  'issuedVia',
  'label',
  'lastUsedAt',
  'revokedAt',
];

type WireToken = Record<string, string | null>;

async function tokensOf(token: string): Promise<readonly WireToken[]> {
  return (await rig.ask('GET', '/api/tokens', { token })).json['tokens'] as WireToken[];
}

async function issue(token: string, body?: unknown): Promise<WireToken> {
  const answer = await rig.ask('POST', '/api/tokens', { token, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json as WireToken;
}

describe('the balance of an account', () => {
  it('has three fields, with the last second of 9999 if there is no expiry', async () => {
    const { token } = await rig.reader();
    const answer = await rig.ask('GET', '/api/balance', { token });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      requests_left: 1000,
      expiration_date: '9999-12-31T23:59:59Z',
      created_at: '2026-08-26T10:00:00Z',
    });
  });

  it('states when the account expires', async () => {
    const { token } = await rig.account({ expiresAt: new Date('2027-01-02T03:04:05Z') });
    const answer = await rig.ask('GET', '/api/balance', { token });
    assert.equal(answer.json['expiration_date'], '2027-01-02T03:04:05Z');
  });

  it('is the largest number of a header field if there is no limit', async () => {
    const { token } = await rig.reader({ limit: null, period: 'day' });
    assert.equal(await rig.unitsLeft(token), 999_999_999_999_999);
  });

  it('takes no quota', async () => {
    const { token } = await rig.reader({ limit: 1, period: 'none' });
    await rig.unitsLeft(token);
    assert.equal(await rig.unitsLeft(token), 1);
  });

  it('is zero when the quota is exhausted', async () => {
    const { token } = await rig.reader({ limit: 0, period: 'none' });
    assert.equal(await rig.unitsLeft(token), 0);
  });

  it('needs a token', async () => {
    assert.equal((await rig.ask('GET', '/api/balance')).code, 'token_missing');
  });
});

describe('the tokens of an account', () => {
  it('are listed with nine fields each, and never with the token itself', async () => {
    const { token } = await rig.reader();
    const answer = await rig.ask('GET', '/api/tokens', { token });
    assert.deepEqual(Object.keys(answer.json), ['tokens', 'hasMore', 'nextCursor']);
    const [first, ...others] = await tokensOf(token);
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(first ?? {}).sort(), TOKEN_FIELDS);
    assert.equal(first?.['hint'], `${token.slice(0, 8)}…`);
    assert.doesNotMatch(answer.text, new RegExp(token));
  });

  it('are only those of the caller', async () => {
    const [one, other] = [await rig.reader(), await rig.reader()];
    const ids = new Set((await tokensOf(one.token)).map(({ id }) => id));
    for (const { id } of await tokensOf(other.token)) assert.equal(ids.has(id ?? ''), false);
  });

  it('state the time of their last use, once it is written', async () => {
    const { token } = await rig.reader();
    assert.equal((await tokensOf(token))[0]?.['lastUsedAt'], null);
    await rig.deps.tokenUsage.write(rig.deps.store.tokens);
    assert.equal((await tokensOf(token))[0]?.['lastUsedAt'], '2026-08-26T10:00:00Z');
  });
});

describe('the uses of tokens', () => {
  it('are retried with the latest time if they cannot be written', async () => {
    const uses = new TokenUsage();
    uses.record('one', new Date(1));
    uses.record('two', new Date(1));
    const failing = uses.write({ touch: () => Promise.reject(new Error('disk on fire')) });
    uses.record('two', new Date(2));
    await assert.rejects(failing, /disk on fire/);
    const written: ReadonlyMap<string, Date>[] = [];
    const touch = async (some: ReadonlyMap<string, Date>) => void written.push(some);
    await uses.write({ touch });
    await uses.write({ touch });
    assert.deepEqual(written, [
      new Map([
        ['one', new Date(1)],
        ['two', new Date(2)],
      ]),
    ]);
  });
});

describe('issuing a token for the calling account', () => {
  it('needs no body, and returns the token and its listed fields', async () => {
    const { token } = await rig.reader();
    const issued = await issue(token);
    assert.deepEqual(Object.keys(issued).sort(), [...TOKEN_FIELDS, 'token'].sort());
    assert.match(issued['token'] ?? '', /^rap_[A-Za-z0-9_-]{38}$/);
    assert.equal(issued['label'], '');
    assert.equal(issued['expiresAt'], null);
    assert.equal(issued['createdAt'], '2026-08-26T10:00:00Z');
  });

  it('takes an empty object', async () => {
    await issue((await rig.reader()).token, {});
  });

  it('keeps label and expiry', async () => {
    const { token } = await rig.reader();
    const body = { label: 'laptop', expiresAt: '2027-01-01T00:00:00Z' };
    const issued = await issue(token, body);
    const listed = (await tokensOf(token)).find(({ id }) => id === issued['id']);
    assert.equal(listed?.['label'], 'laptop');
    assert.equal(listed['expiresAt'], '2027-01-01T00:00:00Z');
  });

  it('creates one that is valid at once, and leaves the old one valid', async () => {
    const { token } = await rig.reader();
    const issued = await issue(token);
    assert.equal((await tokensOf(issued['token'] ?? '')).length, 2);
    assert.equal((await tokensOf(token)).length, 2);
  });

  it('grants no role that the account does not have', async () => {
    const issued = await issue((await rig.reader()).token);
    const answer = await rig.ask('GET', '/admin/accounts', { token: issued['token'] ?? '' });
    assert.equal(answer.code, 'role_missing');
  });

  it('is written into the audit log, by the name of the caller', async () => {
    const { token, name } = await rig.reader();
    const issued = await issue(token, { label: 'laptop' });
    const entry = (await rig.audit()).find(({ subject }) => subject === name);
    assert.equal(entry?.['action'], 'token.issue');
    assert.equal(entry['actor'], name);
    assert.deepEqual(entry['detail'], { id: issued['id'], label: 'laptop' });
  });

  for (const [what, body, error] of [
    ['a label of 65 characters', { label: 'x'.repeat(65) }, /^label must be/],
    ['a label with a line end', { label: 'a\nb' }, /^label must be/],
    ['an expiry without a zone', { expiresAt: '2027-01-01T00:00:00' }, /^expiresAt must be/],
    ['an expiry on no day', { expiresAt: '2027-02-29T00:00:00Z' }, /^expiresAt must be/],
    ['an expiry in words', { expiresAt: 'tomorrow' }, /^expiresAt must be/],
    ['an expiry as a number', { expiresAt: 1 }, /^expiresAt must be/],
    ['an unknown member', { name: 'x' }, /^"name" is not known here/],
    ['a list', [], /must be a JSON object/],
  ] as const) {
    it(`refuses ${what}, and issues nothing`, async () => {
      const { token } = await rig.reader();
      const answer = await rig.ask('POST', '/api/tokens', { token, body });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_body');
      assert.match(String(answer.json['error']), error);
      assert.equal((await tokensOf(token)).length, 1);
    });
  }
});

describe('revoking a token of the calling account', () => {
  it('returns the token and the time of the revocation', async () => {
    const { token } = await rig.reader();
    const issued = await issue(token);
    const answer = await rig.ask('DELETE', `/api/tokens/${issued['id']}`, { token });
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json).sort(), TOKEN_FIELDS);
    assert.equal(answer.json['id'], issued['id']);
    assert.equal(answer.json['revokedAt'], '2026-08-26T10:00:00Z');
  });

  it('takes effect on the next request', async () => {
    const { token } = await rig.reader();
    const issued = await issue(token);
    const other = issued['token'] ?? '';
    assert.equal((await rig.ask('GET', '/api/balance', { token: other })).status, 200);
    await rig.ask('DELETE', `/api/tokens/${issued['id']}`, { token });
    const answer = await rig.ask('GET', '/api/balance', { token: other });
    assert.equal(answer.code, 'token_invalid');
  });

  it('may revoke the token of the request itself', async () => {
    const { token } = await rig.reader();
    const [own] = await tokensOf(token);
    const answer = await rig.ask('DELETE', `/api/tokens/${own?.['id']}`, { token });
    assert.equal(answer.status, 200);
    assert.equal((await rig.ask('GET', '/api/balance', { token })).status, 401);
  });

  it('again is no error, changes nothing and adds no audit entry', async () => {
    const { token, name } = await rig.reader();
    const url = `/api/tokens/${(await issue(token))['id']}`;
    const first = await rig.ask('DELETE', url, { token });
    const again = await rig.ask('DELETE', url, { token });
    assert.equal(again.text, first.text);
    const entries = (await rig.audit()).filter(
      ({ subject, action }) => subject === name && action === 'token.revoke',
    );
    assert.equal(entries.length, 1);
  });

  it('returns the same 404 for an unknown token and for one of another account', async () => {
    const { token } = await rig.reader();
    const [foreign] = await tokensOf((await rig.reader()).token);
    const unknown = await rig.ask('DELETE', `/api/tokens/${NO_SUCH_ID}`, { token });
    const other = await rig.ask('DELETE', `/api/tokens/${foreign?.['id']}`, { token });
    assert.equal(unknown.status, 404);
    assert.equal(unknown.code, 'unknown_token');
    assert.equal(other.text, unknown.text);
  });

  it('does not affect the token of another account', async () => {
    const victim = await rig.reader();
    const [foreign] = await tokensOf(victim.token);
    await rig.ask('DELETE', `/api/tokens/${foreign?.['id']}`, {
      token: (await rig.reader()).token,
    });
    assert.equal((await rig.ask('GET', '/api/balance', { token: victim.token })).status, 200);
  });

  it('returns 400 for an invalid id', async () => {
    const answer = await rig.ask('DELETE', '/api/tokens/x', { token: (await rig.reader()).token });
    assert.equal(answer.status, 400);
    assert.match(String(answer.json['error']), /^id must be a UUID/);
  });
});
