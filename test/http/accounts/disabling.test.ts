import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import { openRig, ownRig, type TestAccount } from '../http-rig.ts';
import { Browser, newLink, signedIn } from './browser.ts';

const rig = await openRig();
after(() => rig.close());

async function change(account: string, body: Readonly<Record<string, unknown>>, of = rig) {
  const answer = await of.ask('PATCH', `/admin/accounts/${account}`, { token: of.admin, body });
  assert.equal(answer.status, 200, answer.text);
}

async function canUse(link: string): Promise<boolean> {
  return (await new Browser(rig).ask('POST', '/session', { body: { link } })).status === 200;
}

async function isValid(token: string): Promise<boolean> {
  return (await rig.ask('GET', '/api/balance', { token })).status === 200;
}

/** Issues a token for the account of the session or token, and returns it with its properties. */
async function issue(by: Browser | string, path = '/api/tokens') {
  const { status, json, text } =
    typeof by === 'string'
      ? await rig.ask('POST', path, { token: by, body: {} })
      : await by.ask('POST', path, { body: {} });
  assert.equal(status, 201, text);
  return json as { id: string; token: string; issuedVia: string };
}

describe('an account that is disabled', () => {
  it('gets neither its sessions nor its links back when it is enabled again', async () => {
    const { id, token } = await rig.researcher();
    const browser = await signedIn(rig, token);
    const link = await newLink(rig, id, { purpose: 'invitation' });
    await change(id, { disabled: true });
    await change(id, { disabled: false });
    assert.equal(await browser.isSignedIn(), false);
    assert.equal(await canUse(link), false);
    assert.equal(await isValid(token), true);
    assert.equal(await (await signedIn(rig, token)).isSignedIn(), true);
  });

  it('does not keep a link that was made while it was disabled', async () => {
    const { id } = await rig.researcher();
    await change(id, { disabled: true });
    const link = await newLink(rig, id);
    await change(id, { disabled: false });
    assert.equal(await canUse(link), false);
  });

  it('ends both if it expires instead', async (test) => {
    const own = await ownRig(test);
    const { id, token } = await own.researcher();
    const browser = await signedIn(own, token);
    await change(id, { expiresAt: new Date(own.clock.now().getTime() + MINUTE_MS) }, own);
    own.clock.advance(2 * MINUTE_MS);
    await change(id, { expiresAt: null }, own);
    assert.equal(await browser.isSignedIn(), false);
    assert.equal((await own.ask('GET', '/api/balance', { token })).status, 200);
  });

  it('keeps them if something else is changed', async () => {
    const { id, token } = await rig.researcher();
    const browser = await signedIn(rig, token);
    await change(id, { topUp: 1, disabled: false });
    assert.equal(await browser.isSignedIn(), true);
  });
});

describe('ending all sessions', () => {
  async function withTokens(): Promise<{
    account: TestAccount;
    browser: Browser;
    inSession: Awaited<ReturnType<typeof issue>>;
    withToken: Awaited<ReturnType<typeof issue>>;
  }> {
    const account = await rig.researcher();
    const browser = await signedIn(rig, account.token);
    return {
      account,
      browser,
      inSession: await issue(browser),
      withToken: await issue(account.token),
    };
  }

  it('leaves the tokens that were issued in them, unless it is told otherwise', async () => {
    const { account, inSession } = await withTokens();
    const { json } = await rig.ask('DELETE', '/api/sessions', { token: account.token });
    assert.deepEqual(json, { ended: 1, revoked: 0, successful: true });
    assert.equal(await isValid(inSession.token), true);
  });

  it('revokes those that were issued in them, and with those', async () => {
    const { account, browser, inSession, withToken } = await withTokens();
    const second = await issue(inSession.token);
    const { json } = await browser.ask('DELETE', '/api/sessions?issued=true');
    assert.deepEqual(json, { ended: 1, revoked: 2, successful: true });
    for (const { token } of [inSession, second]) assert.equal(await isValid(token), false);
    for (const token of [account.token, withToken.token]) assert.equal(await isValid(token), true);
  });

  it('also revokes those of a session that has ended before', async () => {
    const { account, browser, inSession } = await withTokens();
    await browser.ask('DELETE', '/session');
    const { json } = await rig.ask('DELETE', '/api/sessions?issued=true', { token: account.token });
    assert.deepEqual(json, { ended: 0, revoked: 1, successful: true });
    assert.equal(await isValid(inSession.token), false);
  });

  it('lets an administrator revoke those of other accounts too, and the account its own', async () => {
    const { id, token } = await rig.account({ roles: ['admin'] });
    const browser = await signedIn(rig, token);
    const other = await rig.researcher();
    const forOther = await issue(browser, `/admin/accounts/${other.id}/tokens`);
    const own = await browser.ask('DELETE', '/api/sessions?issued=true');
    assert.equal(own.json['revoked'], 0);
    const path = `/admin/accounts/${id}/sessions?issued=true`;
    const { json } = await rig.ask('DELETE', path, { token: rig.admin });
    assert.deepEqual(json, { ended: 0, revoked: 1, successful: true });
    assert.equal(await isValid(forOther.token), false);
    assert.equal(await isValid(other.token), true);
  });

  it('refuses another value of the option', async () => {
    const { token } = await rig.researcher();
    const answer = await rig.ask('DELETE', '/api/sessions?issued=yes', { token });
    assert.deepEqual([answer.status, answer.code], [400, 'invalid_query']);
  });
});

describe('the origin of a token', () => {
  it('is listed: a session, a token, an administrator, or the command line', async () => {
    const service = await rig.service();
    const { json: added } = await rig.ask('POST', '/admin/accounts', {
      token: rig.admin,
      body: { name: rig.fresh('account'), services: [service] },
    });
    const first = added['token'] as string;
    const { id } = added['account'] as { id: string };
    const browser = await signedIn(rig, first);
    const issued = [
      await issue(browser),
      await issue(first),
      await issue(rig.admin, `/admin/accounts/${id}/tokens`),
      await issue(await signedIn(rig, rig.admin), `/admin/accounts/${id}/tokens`),
    ];
    const expected = ['session', 'token', 'administrator', 'administrator'];
    assert.deepEqual(
      issued.map(({ issuedVia }) => issuedVia),
      expected,
    );
    const { json } = await rig.ask('GET', '/api/tokens', { token: first });
    const tokens = json['tokens'] as { issuedVia: string }[];
    assert.deepEqual(
      tokens.map(({ issuedVia }) => issuedVia).sort(),
      ['administrator', ...expected].sort(),
    );
    const { json: ofAdmin } = await rig.ask('GET', '/api/tokens', { token: rig.admin });
    assert.equal((ofAdmin['tokens'] as { issuedVia: string }[])[0]?.issuedVia, 'operator');
  });
});
