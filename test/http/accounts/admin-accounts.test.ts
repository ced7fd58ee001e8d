import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../until.ts';
import type { Answer } from '../contract.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const token = rig.admin;
const NO_SUCH_ID = '01a03d83-2500-7000-8000-000000000000';

type WireAccount = Record<string, unknown>;

function add(body: unknown): Promise<Answer> {
  return rig.ask('POST', '/admin/accounts', { token, body });
}

function change(account: string, body: unknown): Promise<Answer> {
  return rig.ask('PATCH', `/admin/accounts/${account}`, { token, body });
}

async function show(account: string): Promise<WireAccount> {
  const answer = await rig.ask('GET', `/admin/accounts/${account}`, { token });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), ['account']);
  return answer.json['account'] as WireAccount;
}

interface Page {
  readonly accounts: readonly WireAccount[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

async function page(query: string): Promise<Page> {
  const answer = await rig.ask('GET', `/admin/accounts${query}`, { token });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), ['accounts', 'nextCursor', 'hasMore']);
  return answer.json as unknown as Page;
}

async function names(): Promise<readonly string[]> {
  const { accounts } = await page('?limit=1000');
  return accounts.map(({ name }) => String(name));
}

/** The newest audit entry of the account. */
async function audited(name: string): Promise<Record<string, unknown> | undefined> {
  return (await rig.audit()).find(({ subject }) => subject === name);
}

describe('adding an account', () => {
  it('needs only its name, and returns the account and its first token', async () => {
    const name = rig.fresh('account');
    const answer = await add({ name });
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.json), ['account', 'token']);
    const account = answer.json['account'] as WireAccount;
    assert.deepEqual(account, {
      id: account['id'],
      name,
      roles: [],
      services: [],
      quota: { limit: 1000, period: 'day', remaining: 1000, resetsAt: '2026-08-27T00:00:00Z' },
      createRate: null,
      disabled: false,
      expiresAt: null,
      createdAt: '2026-08-26T10:00:00Z',
    });
  });

  it('stores every given field', async () => {
    const service = await rig.service();
    const { json } = await add({
      name: rig.fresh('account'),
      roles: ['researcher', 'admin'],
      services: [service],
      quota: { limit: 300, period: 'month' },
      expiresAt: '2027-01-01T01:00:00+01:00',
    });
    const { roles, services, quota, expiresAt } = json['account'] as WireAccount;
    assert.deepEqual(roles, ['researcher', 'admin']);
    // The role owns the built-in feed.
    assert.deepEqual(services, [service, 'unclaimed']);
    assert.deepEqual(quota, {
      limit: 300,
      period: 'month',
      remaining: 300,
      resetsAt: '2026-09-01T00:00:00Z',
    });
    assert.equal(expiresAt, '2027-01-01T00:00:00Z');
  });

  it('returns a token that is valid at once', async () => {
    const { json } = await add({ name: rig.fresh('account') });
    assert.equal(await rig.unitsLeft(String(json['token'])), 1000);
  });

  it('shows the name in the reports of the account', async () => {
    const name = 'Zoë O’Neil 🐀';
    const { json } = await add({ name, roles: ['researcher'] });
    const service = await rig.service();
    const id = await rig.report(service, String(json['token']));
    assert.equal((await rig.fetched(service, id)).reportedBy, name);
  });

  it('completes a partial quota with defaults', async () => {
    const limited = await add({ name: rig.fresh('account'), quota: { limit: 5 } });
    const monthly = await add({ name: rig.fresh('account'), quota: { period: 'none' } });
    const quota = ({ json }: Answer) => (json['account'] as WireAccount)['quota'] as WireAccount;
    assert.equal(quota(limited)['period'], 'day');
    assert.equal(quota(monthly)['limit'], 1000);
    assert.equal(quota(monthly)['resetsAt'], null);
  });

  it('takes a quota without a limit', async () => {
    const answer = await add({ name: rig.fresh('account'), quota: { limit: null, period: 'day' } });
    const account = answer.json['account'] as { quota: WireAccount };
    assert.equal(account.quota['limit'], null);
    assert.equal(account.quota['remaining'], null);
  });

  it('removes duplicate roles and services', async () => {
    const service = await rig.service();
    const { json } = await add({
      name: rig.fresh('account'),
      roles: ['admin', 'admin'],
      services: [service, service],
    });
    const account = json['account'] as WireAccount;
    assert.deepEqual(account['roles'], ['admin']);
    assert.deepEqual(account['services'], [service, 'unclaimed']);
  });

  for (const [what, body, error] of [
    ['no name', {}, /^name is missing/],
    ['an empty name', { name: '' }, /^name must be/],
    ['a name with a blank at its end', { name: 'a ' }, /^name must be/],
    ['a name with a line end', { name: 'a\nb' }, /^name must be/],
    ['a name with a zero-width space', { name: 'a\u200bb' }, /^name must be/],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, /^name must be/],
    ['an unknown role', { name: 'x', roles: ['root'] }, /^roles must be/],
    ['roles that are no list', { name: 'x', roles: 'admin' }, /^roles must be/],
    ['a service there is not', { name: 'x', services: ['nobody'] }, /^services must name/],
    ['a negative quota', { name: 'x', quota: { limit: -1, period: 'day' } }, /^quota\.limit must/],
    ['half a unit', { name: 'x', quota: { limit: 0.5, period: 'day' } }, /^quota\.limit must/],
    [
      'an unknown period',
      { name: 'x', quota: { limit: 1, period: 'week' } },
      /^quota\.period must/,
    ],
    ['a quota with another member', { name: 'x', quota: { limit: 1, max: 2 } }, /^quota must/],
    ['a quota that is a number', { name: 'x', quota: 5 }, /^quota must be/],
    ['an expiry on no day', { name: 'x', expiresAt: '2027-02-30T00:00:00Z' }, /^expiresAt must/],
    ['an expiry at no hour', { name: 'x', expiresAt: '2027-02-01T25:00:00Z' }, /^expiresAt must/],
    [
      'an expiry beyond the four-digit years',
      { name: 'x', expiresAt: '9999-12-31T23:59:59-01:00' },
      /^expiresAt must/,
    ],
    ['a member it does not know', { name: 'x', role: [] }, /^"role" is not known here/],
  ] as const) {
    it(`refuses ${what}, and adds nothing`, async () => {
      const before = await names();
      const answer = await add(body);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_body');
      assert.match(String(answer.json['error']), error);
      assert.deepEqual(await names(), before);
    });
  }

  it('refuses an existing name with 409, and issues no token', async () => {
    const { name, id } = await rig.reader();
    const answer = await add({ name, roles: ['admin'] });
    assert.equal(answer.status, 409);
    assert.equal(answer.code, 'account_exists');
    assert.deepEqual((await show(id))['roles'], []);
  });

  it('is written into the audit log, without the token', async () => {
    const name = rig.fresh('account');
    const { json } = await add({ name, roles: ['researcher'] });
    const entry = await audited(name);
    assert.equal(entry?.['action'], 'account.add');
    assert.equal(entry['actor'], 'admin');
    assert.equal(JSON.stringify(entry).includes(String(json['token'])), false);
  });
});

describe('showing accounts', () => {
  it('lists them in the order of their names', async () => {
    await rig.reader();
    const listed = await names();
    assert.ok(listed.includes('admin'));
    assert.deepEqual(listed, [...listed].sort());
  });

  it('lists them in pages with a cursor to the next page', async () => {
    const owner = await rig.service();
    await rig.account({ services: [owner] });
    const paged: WireAccount[] = [];
    let cursor: string | null = '';
    for (let query = '?limit=2'; cursor !== null; query = `?limit=2&cursor=${cursor}`) {
      const { accounts, nextCursor, hasMore } = await page(query);
      assert.ok(accounts.length <= 2);
      assert.equal(hasMore, nextCursor !== null);
      paged.push(...accounts);
      cursor = nextCursor;
    }
    assert.deepEqual(paged, (await page('?limit=1000')).accounts);
    assert.ok(paged.some(({ services }) => (services as string[]).includes(owner)));
  });

  it('lists a hundred by default', async () => {
    while ((await names()).length <= 100) await rig.account();
    const { accounts, hasMore } = await page('');
    assert.equal(accounts.length, 100);
    assert.equal(hasMore, true);
  });

  it('refuses a cursor of another list, and an invalid limit', async () => {
    const refusal = async (query: string) =>
      (await rig.ask('GET', `/admin/accounts${query}`, { token })).code;
    assert.equal(await refusal('?cursor=YWRtaW4'), 'invalid_cursor');
    assert.equal(await refusal('?limit=1001'), 'invalid_query');
    assert.equal(await refusal('?limit=0'), 'invalid_query');
    assert.equal(await refusal('?before=3'), 'invalid_query');
  });

  it('shows one by its id and by its name', async () => {
    const { id, name } = await rig.account({ name: 'with / and ? and %' });
    const byId = await show(id);
    assert.equal(byId['name'], name);
    assert.deepEqual(await show(encodeURIComponent(name)), byId);
  });

  it('states the remaining quota', async () => {
    const reader = await rig.reader({ limit: 5, period: 'none' });
    await rig.lookUp('x', reader.token);
    const account = await show(reader.id);
    assert.deepEqual(account['quota'], {
      limit: 5,
      period: 'none',
      remaining: 4,
      resetsAt: null,
    });
  });

  it('answers 404 for one that does not exist', async () => {
    for (const account of ['nobody', NO_SUCH_ID, '%20', '%00']) {
      const answer = await rig.ask('GET', `/admin/accounts/${account}`, { token });
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_account');
    }
  });
});

describe('changing an account', () => {
  it('returns the changed account', async () => {
    const { id } = await rig.reader();
    const answer = await change(id, { roles: ['researcher'] });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { account: await show(id) });
  });

  it('accepts its name instead of its id', async () => {
    const { id, name } = await rig.reader();
    assert.equal((await change(name, { disabled: true })).status, 200);
    assert.equal((await show(id))['disabled'], true);
  });

  it('leaves fields that are not sent unchanged', async () => {
    const service = await rig.service();
    const { id } = await rig.account({
      roles: ['researcher'],
      services: [service],
      quota: { limit: 7, period: 'month' },
      expiresAt: new Date('2027-01-01T00:00:00Z'),
    });
    const before = await show(id);
    await change(id, {});
    assert.deepEqual(await show(id), before);
  });

  it('grants and revokes roles with effect on the next request', async () => {
    const service = await rig.service();
    const account = await rig.reader();
    assert.equal((await rig.create(service, account.token)).status, 403);
    await change(account.id, { roles: ['researcher'] });
    assert.equal((await rig.create(service, account.token)).status, 201);
    await change(account.id, { roles: [] });
    assert.equal((await rig.create(service, account.token)).status, 403);
  });

  it('removes duplicate roles', async () => {
    const { id } = await rig.reader();
    await change(id, { roles: ['admin', 'admin'] });
    assert.deepEqual((await show(id))['roles'], ['admin']);
  });

  it('replaces the services whose feeds it owns', async () => {
    const [one, other] = [await rig.service(), await rig.service()];
    const { id } = await rig.account({ services: [one] });
    await change(id, { services: [other, other] });
    assert.deepEqual((await show(id))['services'], [other]);
    await change(id, { services: [] });
    assert.deepEqual((await show(id))['services'], []);
  });

  it('refuses an unknown service, and changes nothing', async () => {
    const one = await rig.service();
    const { id } = await rig.account({ services: [one] });
    const answer = await change(id, { services: ['nobody'], disabled: true });
    assert.equal(answer.status, 400);
    assert.match(String(answer.json['error']), /^services must name services that exist/);
    const account = await show(id);
    assert.deepEqual(account['services'], [one]);
    assert.equal(account['disabled'], false);
  });

  it('keeps the period when only the limit is sent, and the limit when only the period is sent', async () => {
    const { id } = await rig.reader({ limit: 5, period: 'month' });
    await change(id, { quota: { limit: 7 } });
    await change(id, { quota: {} });
    assert.deepEqual((await show(id))['quota'], {
      limit: 7,
      period: 'month',
      remaining: 7,
      resetsAt: '2026-09-01T00:00:00Z',
    });
    await change(id, { quota: { period: 'none' } });
    assert.deepEqual((await show(id))['quota'], {
      limit: 7,
      period: 'none',
      remaining: 7,
      resetsAt: null,
    });
  });

  it('removes a limit and sets one again', async () => {
    const { id } = await rig.reader({ limit: 5, period: 'day' });
    await change(id, { quota: { limit: null } });
    assert.equal(((await show(id))['quota'] as WireAccount)['remaining'], null);
    await change(id, { quota: { limit: 0 } });
    assert.equal(((await show(id))['quota'] as WireAccount)['remaining'], 0);
  });

  it('adds every top-up to earlier ones', async () => {
    const account = await rig.reader({ limit: 0, period: 'none' });
    await change(account.id, { topUp: 2 });
    await change(account.id, { topUp: 3 });
    assert.equal(await rig.unitsLeft(account.token), 5);
    assert.equal((await rig.lookUp('x', account.token)).status, 400);
    assert.equal(await rig.unitsLeft(account.token), 4);
  });

  it('loses no unit of a top-up that is concurrent with lookups', async () => {
    const account = await rig.reader({ limit: 10, period: 'none' });
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => rig.lookUp('x', account.token)),
      // A busy machine may not get the lock of the account in time.
      eventually(
        () => change(account.id, { topUp: 10 }),
        ({ status }) => status !== 503,
      ),
      ...Array.from({ length: 5 }, () => rig.lookUp('x', account.token)),
    ]);
    const served = answers.filter(({ status }) => status === 400).length;
    assert.equal(await rig.unitsLeft(account.token), 20 - served);
  });

  it('disables and enables with effect on the next request', async () => {
    const account = await rig.reader();
    assert.equal((await rig.ask('GET', '/api/balance', { token: account.token })).status, 200);
    await change(account.id, { disabled: true });
    const refused = await rig.ask('GET', '/api/balance', { token: account.token });
    assert.equal(refused.code, 'token_invalid');
    await change(account.id, { disabled: false });
    assert.equal((await rig.ask('GET', '/api/balance', { token: account.token })).status, 200);
  });

  it('sets an expiry and removes it with null', async () => {
    const { id } = await rig.reader();
    await change(id, { expiresAt: '2027-01-01T00:00:00Z' });
    assert.equal((await show(id))['expiresAt'], '2027-01-01T00:00:00Z');
    await change(id, { expiresAt: null });
    assert.equal((await show(id))['expiresAt'], null);
  });

  for (const [what, body, error] of [
    ['a new name', { name: 'x' }, /^"name" is not known here/],
    ['a top-up of nothing', { topUp: 0 }, /^topUp must be an integer from 1 /],
    ['a negative top-up', { topUp: -1 }, /^topUp must be/],
    ['a disabled that is a word', { disabled: 'yes' }, /^disabled must be true or false/],
    ['an unknown role', { roles: ['root'] }, /^roles must be/],
    ['an unknown period', { quota: { period: 'week' } }, /^quota\.period must be/],
    ['an expiry without a zone', { expiresAt: '2027-01-01' }, /^expiresAt must be/],
  ] as const) {
    it(`refuses ${what}, and changes nothing`, async () => {
      const { id } = await rig.reader();
      const before = await show(id);
      const answer = await change(id, body);
      assert.equal(answer.status, 400);
      assert.match(String(answer.json['error']), error);
      assert.deepEqual(await show(id), before);
    });
  }

  it('answers 404 for an account that does not exist', async () => {
    const answer = await change(NO_SUCH_ID, { disabled: true });
    assert.equal(answer.status, 404);
    assert.equal(answer.code, 'unknown_account');
  });

  it('is written into the audit log, with the changed fields', async () => {
    const { id, name } = await rig.reader();
    await change(id, { topUp: 5 });
    const entry = await audited(name);
    assert.equal(entry?.['action'], 'account.change');
    assert.deepEqual(entry['detail'], { topUp: 5 });
  });
});

describe('the tokens of an account, for an admin', () => {
  it('are issued with or without a body, by id or name', async () => {
    const { id, name } = await rig.reader();
    for (const [account, body] of [
      [id, undefined],
      [name, { label: 'ci', expiresAt: '2027-01-01T00:00:00Z' }],
    ] as const) {
      const answer = await rig.ask('POST', `/admin/accounts/${account}/tokens`, { token, body });
      assert.equal(answer.status, 201);
      assert.equal(answer.json['label'], body?.label ?? '');
      assert.equal(await rig.unitsLeft(String(answer.json['token'])), 1000);
    }
  });

  it('are listed, never with the token itself', async () => {
    const { id, token: secret } = await rig.reader();
    const answer = await rig.ask('GET', `/admin/accounts/${id}/tokens`, { token });
    assert.equal((answer.json['tokens'] as unknown[]).length, 1);
    assert.equal(answer.text.includes(secret), false);
  });

  it('are revoked with effect on the next request', async () => {
    const { id, token: secret, name } = await rig.reader();
    assert.equal(await rig.unitsLeft(secret), 1000);
    const listed = await rig.ask('GET', `/admin/accounts/${id}/tokens`, { token });
    const [{ id: tokenId }] = listed.json['tokens'] as [{ id: string }];
    const answer = await rig.ask('DELETE', `/admin/tokens/${tokenId}`, { token });
    assert.equal(answer.status, 200);
    assert.equal(answer.json['revokedAt'], '2026-08-26T10:00:00Z');
    assert.equal((await rig.ask('GET', '/api/balance', { token: secret })).status, 401);
    const entry = await audited(name);
    assert.equal(entry?.['action'], 'token.revoke');
    assert.equal(entry['actor'], 'admin');
  });

  it('are written into the audit log when they are issued', async () => {
    const { id, name } = await rig.reader();
    const answer = await rig.ask('POST', `/admin/accounts/${id}/tokens`, { token });
    const entry = await audited(name);
    assert.equal(entry?.['action'], 'token.issue');
    assert.equal(entry['actor'], 'admin');
    assert.equal(JSON.stringify(entry).includes(String(answer.json['token'])), false);
  });

  it('return 404 for an unknown account', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await rig.ask(method, `/admin/accounts/${NO_SUCH_ID}/tokens`, { token });
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_account');
    }
  });

  it('return 404 for an unknown or invalid id', async () => {
    const unknown = await rig.ask('DELETE', `/admin/tokens/${NO_SUCH_ID}`, { token });
    assert.equal(unknown.code, 'unknown_token');
    const malformed = await rig.ask('DELETE', '/admin/tokens/x', { token });
    assert.equal(malformed.status, 400);
  });

  it('are refused with an invalid label or expiry', async () => {
    const { id } = await rig.reader();
    const body = { label: 'a\u0000', expiresAt: 'x' };
    const answer = await rig.ask('POST', `/admin/accounts/${id}/tokens`, { token, body });
    assert.equal(answer.status, 400);
    assert.match(String(answer.json['error']), /^label must be .* expiresAt must be /);
  });
});
