import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Answer } from '../contract.ts';
import { openRig, type TestAccount } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const SOON = '2026-08-26T11:00:00Z';
const LATER = '2026-08-27T11:00:00Z';

const issue = (token: string, body: unknown = {}) =>
  rig.ask('POST', '/api/tokens', { token, body });
const issueFor = (account: TestAccount, body: unknown, token = rig.admin) =>
  rig.ask('POST', `/admin/accounts/${account.id}/tokens`, { token, body });
const textOf = ({ json, text, status }: Answer) => {
  assert.equal(status, 201, text);
  return json['token'] as string;
};
const isLive = async (token: string) =>
  (await rig.ask('GET', '/api/balance', { token })).status === 200;

/** A token of the account that expires soon. */
async function shortLived(account: TestAccount): Promise<string> {
  return textOf(await issueFor(account, { expiresAt: SOON }));
}

describe('a token that expires', () => {
  it('issues tokens that expire with it', async () => {
    const token = await shortLived(await rig.reader());
    for (const body of [{}, { expiresAt: null }, { expiresAt: SOON }])
      assert.equal((await issue(token, body)).json['expiresAt'], SOON);
    const sooner = '2026-08-26T10:30:00Z';
    assert.equal((await issue(token, { expiresAt: sooner })).json['expiresAt'], sooner);
  });

  it('issues none that would outlive it, and states the latest expiry', async () => {
    const token = await shortLived(await rig.reader());
    const refused = await issue(token, { expiresAt: LATER });
    assert.deepEqual([refused.status, refused.code], [400, 'invalid_body']);
    assert.match(String(refused.json['error']), /must not be after 2026-08-26T11:00:00/);
  });

  it('of an administrator limits the tokens it issues for its own account, by any route', async () => {
    const admin = await rig.account({ roles: ['admin'] });
    const token = await shortLived(admin);
    assert.equal((await issueFor(admin, {}, token)).json['expiresAt'], SOON);
    assert.equal((await issueFor(admin, { expiresAt: LATER }, token)).status, 400);
  });

  it('of an administrator issues tokens without expiry for others, with its id as their issuer', async () => {
    const admin = await rig.account({ roles: ['admin'] });
    const issuer = await issueFor(admin, { expiresAt: SOON });
    const issued = await issueFor(await rig.reader(), {}, textOf(issuer));
    assert.equal(issued.json['expiresAt'], null);
    assert.equal(issued.json['issuedBy'], issuer.json['id']);
  });
});

describe('an account that expires', () => {
  it('has no token that states a later expiry', async () => {
    const account = await rig.account({ expiresAt: new Date(SOON) });
    for (const answer of [
      await issue(account.token, { expiresAt: LATER }),
      await issueFor(account, { expiresAt: LATER }),
    ]) {
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body']);
      assert.match(String(answer.json['error']), /when its account expires/);
    }
    assert.equal((await issue(account.token)).json['expiresAt'], null);
  });
});

describe('revoking a token', () => {
  async function family() {
    const account = await rig.reader();
    const first = await issueFor(account, {});
    const second = await issue(textOf(first));
    const third = await issue(textOf(second));
    return { account, tokens: [first, second, third] };
  }
  const idOf = ({ json }: Answer) => json['id'] as string;

  it('leaves the tokens that it issued valid, so that a token can be replaced', async () => {
    const { tokens } = await family();
    const [first, second, third] = tokens.map(textOf) as [string, string, string];
    const url = `/api/tokens/${idOf(tokens[0] as Answer)}`;
    assert.equal((await rig.ask('DELETE', url, { token: second })).status, 200);
    assert.deepEqual(
      [await isLive(first), await isLive(second), await isLive(third)],
      [false, true, true],
    );
  });

  for (const whose of ['its owner', 'an administrator'] as const) {
    it(`revokes all its descendants if ${whose} requests it`, async () => {
      const { account, tokens } = await family();
      const id = idOf(tokens[0] as Answer);
      const answer =
        whose === 'its owner'
          ? await rig.ask('DELETE', `/api/tokens/${id}?issued=true`, { token: account.token })
          : await rig.ask('DELETE', `/admin/tokens/${id}?issued=true`, { token: rig.admin });
      assert.equal(answer.status, 200, answer.text);
      for (const token of tokens.map(textOf)) assert.equal(await isLive(token), false);
      assert.ok(await isLive(account.token), 'others stay');
      const [entry] = await rig.audit();
      assert.partialDeepStrictEqual(entry, { action: 'token.revoke', detail: { id, issued: 2 } });
    });
  }

  it('revokes the tokens it issued even if it was revoked before', async () => {
    const { account, tokens } = await family();
    const id = idOf(tokens[0] as Answer);
    await rig.ask('DELETE', `/api/tokens/${id}`, { token: account.token });
    await rig.ask('DELETE', `/api/tokens/${id}?issued=true`, { token: account.token });
    for (const token of tokens.map(textOf)) assert.equal(await isLive(token), false);
  });

  it('of an administrator by itself leaves the tokens it issued for others', async () => {
    const admin = await rig.account({ roles: ['admin'] });
    const issuer = await issueFor(admin, {});
    const other = textOf(await issueFor(await rig.reader(), {}, textOf(issuer)));
    const url = `tokens/${idOf(issuer)}?issued=true`;
    await rig.ask('DELETE', `/api/${url}`, { token: admin.token });
    assert.ok(await isLive(other));
    await rig.ask('DELETE', `/admin/${url}`, { token: rig.admin });
    assert.equal(await isLive(other), false);
  });
});
