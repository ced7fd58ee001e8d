import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { formatSecret } from '../../../src/domain/accounts/token.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import { BASE_URL, openRig, ownRig } from '../http-rig.ts';
import { Browser, newLink, signedIn } from './browser.ts';

const rig = await openRig();
after(() => rig.close());

const refusalOf = ({ status, code }: { status: number; code: string | undefined }) => [
  status,
  code,
];
const EXPIRED = [401, 'session_expired'];

describe('signing in with a token', () => {
  it('sets a cookie that no script and no other site can use', async (test) => {
    const { token } = await rig.reader();
    const answer = await new Browser(rig).signIn({ token });
    assert.match(
      String(answer.headers['set-cookie']),
      /^__Host-rapsheet_session=ras_[\w-]{38}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const plain = await ownRig(test, { baseUrl: 'http://127.0.0.1:8080' });
    const overHttp = await new Browser(plain).signIn({ token: plain.admin });
    assert.match(
      String(overHttp.headers['set-cookie']),
      /^rapsheet_session=ras_[\w-]{38}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it('answers who is signed in, as GET /session and GET /api/me do', async () => {
    const service = await rig.service({ name: 'Ply' });
    const account = await rig.account({ roles: ['researcher'], services: [service] });
    const browser = new Browser(rig);
    const { json } = await browser.signIn({ token: account.token });
    const { feedPosition } = json['session'] as { readonly feedPosition: string };
    assert.deepEqual(json, {
      id: account.id,
      name: account.name,
      roles: ['researcher'],
      services: [{ slug: service, name: 'Ply' }],
      quota: { limit: 1000, period: 'day', remaining: 1000, resetsAt: '2026-08-27T00:00:00Z' },
      createRate: null,
      expiresAt: null,
      createdAt: '2026-08-26T10:00:00Z',
      session: { via: 'token', expiresAt: '2026-09-25T10:00:00Z', feedPosition },
      token: null,
      successful: true,
    });
    for (const url of ['/session', '/api/me']) {
      assert.deepEqual((await browser.ask('GET', url)).json, json);
      const { json: ofToken } = await rig.ask('GET', url, { token: account.token });
      assert.notEqual(ofToken['token'], null);
      assert.deepEqual(ofToken, { ...json, session: null, token: ofToken['token'] });
    }
  });

  it('states a position, after which the changes of all feeds continue', async () => {
    const service = await rig.service();
    const account = await rig.account({ roles: ['researcher'], services: [service] });
    const browser = new Browser(rig);
    await browser.signIn({ token: account.token });
    const { session } = (await browser.ask('GET', '/session')).json;
    const { feedPosition } = session as { readonly feedPosition: string };
    const since = async () =>
      (await browser.ask('GET', `/feed/all/changes?since=${feedPosition}`)).json['changes'];
    assert.deepEqual(await since(), []);
    const id = await rig.report(service, account.token);
    assert.deepEqual(
      ((await since()) as { readonly id: string }[]).map((change) => change.id),
      [id],
    );
  });

  it('states the token of a request, its label and its expiry', async () => {
    const account = await rig.reader();
    const expiresAt = '2026-08-26T11:00:00Z';
    const { json: issued } = await rig.ask('POST', '/api/tokens', {
      token: account.token,
      body: { label: 'laptop', expiresAt },
    });
    const { json } = await rig.ask('GET', '/api/me', { token: String(issued['token']) });
    assert.deepEqual(json['token'], {
      id: issued['id'],
      label: 'laptop',
      hint: issued['hint'],
      expiresAt,
      lastUsedAt: null,
    });
  });

  it('lasts no longer than the token or the account', async () => {
    const account = await rig.reader();
    const expiresAt = '2026-08-26T11:00:00Z';
    const issued = await rig.ask('POST', '/api/tokens', {
      token: account.token,
      body: { expiresAt },
    });
    const limited = await rig.account({ expiresAt: new Date(expiresAt) });
    for (const token of [String(issued.json['token']), limited.token]) {
      const answer = await new Browser(rig).signIn({ token });
      assert.partialDeepStrictEqual(answer.json, { session: { expiresAt } });
      assert.match(String(answer.headers['set-cookie']), /; Max-Age=3600;/);
    }
  });

  it('accepts every form of the token, and refuses a bad one', async () => {
    const { token } = await rig.reader();
    const basic = Buffer.from(`user:${token}`).toString('base64');
    for (const headers of [
      { authorization: token },
      { authorization: `Token ${token}` },
      { authorization: `Basic ${basic}` },
      { 'x-api-key': token },
      { 'auth-key': token },
    ])
      assert.equal((await rig.ask('POST', '/session', { headers })).status, 200);
    const bad = await rig.ask('POST', '/session', { token: 'rap_no' });
    assert.deepEqual(refusalOf(bad), [401, 'token_invalid']);
    assert.equal(bad.headers['set-cookie'], undefined);
  });

  it('needs either a token or a link', async () => {
    const { token } = await rig.reader();
    for (const asked of [{}, { body: {} }, { token, body: { link: 'ral_' } }]) {
      const answer = await rig.ask('POST', '/session', asked);
      assert.deepEqual(refusalOf(answer), [400, 'invalid_body']);
      assert.match(answer.text, /either a token in the header Authorization, or/);
    }
  });

  it('again replaces the session of the browser', async () => {
    const [one, other] = [await rig.reader(), await rig.reader()];
    const browser = await signedIn(rig, one.token);
    const { cookie } = browser;
    await browser.signIn({ token: one.token });
    assert.notEqual(browser.cookie, cookie);
    const old = new Browser(rig);
    old.cookie = cookie;
    assert.equal(await old.isSignedIn(), true, 'with a token the cookie is not read');
    await browser.signIn({ body: { link: await newLink(rig, other.id) } });
    assert.equal((await browser.ask('GET', '/session')).json['name'], other.name);
  });
});

describe('a session', () => {
  it('does what its token may do, and no more', async () => {
    const service = await rig.service();
    const researcher = await rig.researcher();
    const browser = await signedIn(rig, researcher.token);
    const body = { c2Address: 'evil.example:1', file256Hash: 'a'.repeat(64), confidenceScore: 1 };
    const created = await browser.ask('POST', `/feed/${service}/api`, { body });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(refusalOf(await browser.ask('GET', '/admin/accounts')), [403, 'role_missing']);
    const reader = await signedIn(rig, (await rig.reader()).token);
    assert.deepEqual(refusalOf(await reader.ask('POST', `/feed/${service}/api`, { body })), [
      403,
      'role_missing',
    ]);
  });

  it('is not a token, and a token is not a session', async () => {
    const { token } = await rig.reader();
    const browser = await signedIn(rig, token);
    const secret = String(browser.cookie?.split('=')[1]);
    for (const headers of [{ authorization: secret }, { 'x-api-key': secret }])
      assert.deepEqual(refusalOf(await rig.ask('GET', '/api/balance', { headers })), [
        401,
        'token_invalid',
      ]);
    browser.cookie = `__Host-rapsheet_session=${token}`;
    assert.deepEqual(refusalOf(await browser.ask('GET', '/api/balance')), EXPIRED);
  });

  it('is read only where no token is sent', async () => {
    const [one, other] = [await rig.reader(), await rig.reader()];
    const browser = await signedIn(rig, one.token);
    const answer = await browser.ask('GET', '/api/me', { token: other.token });
    assert.equal(answer.json['name'], other.name);
    const bad = await browser.ask('GET', '/api/me', { token: 'rap_no' });
    assert.deepEqual(refusalOf(bad), [401, 'token_invalid']);
    assert.equal(await browser.isSignedIn(), true, 'the cookie stays');
  });

  it('is not accepted over https without the prefix of the cookie', async () => {
    const browser = await signedIn(rig, (await rig.reader()).token);
    browser.cookie = browser.cookie?.replace('__Host-', '');
    assert.deepEqual(refusalOf(await browser.ask('GET', '/session')), [401, 'token_missing']);
  });

  it('marks its token as used', async (test) => {
    const own = await ownRig(test);
    const account = await own.reader();
    const browser = await signedIn(own, account.token);
    own.clock.advance(MINUTE_MS);
    await browser.ask('GET', '/api/balance');
    await own.deps.tokenUsage.write(own.deps.store.tokens);
    const { json } = await own.ask('GET', '/api/tokens', { token: account.token });
    assert.match(JSON.stringify(json), /"lastUsedAt":"2026-08-26T10:01/);
  });

  it('shows administrators the details of the health', async () => {
    const browser = await signedIn(rig, rig.admin);
    assert.ok((await browser.ask('GET', '/readyz')).json['details']);
    const headers = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await browser.ask('GET', '/readyz', { headers })).json['details'], undefined);
  });
});

describe('a session ends', () => {
  it('by signing out, which may be repeated', async () => {
    const browser = await signedIn(rig, (await rig.reader()).token);
    const { cookie } = browser;
    const answer = await browser.ask('DELETE', '/session');
    assert.equal(answer.status, 200);
    assert.match(
      String(answer.headers['set-cookie']),
      /^__Host-rapsheet_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    browser.cookie = cookie;
    assert.deepEqual(refusalOf(await browser.ask('GET', '/session')), EXPIRED);
    assert.equal(browser.cookie, undefined, 'the refusal removes the cookie');
    for (const again of [cookie, undefined, '__Host-rapsheet_session=nonsense']) {
      browser.cookie = again;
      assert.equal((await browser.ask('DELETE', '/session')).status, 200);
    }
  });

  it('at once when its token is revoked, alone or with those it issued', async () => {
    const account = await rig.reader();
    const issue = async (token: string) =>
      (await rig.ask('POST', '/api/tokens', { token })).json as { token: string; id: string };
    const first = await issue(account.token);
    const second = await issue(first.token);
    const [one, other] = [await signedIn(rig, first.token), await signedIn(rig, second.token)];
    assert.deepEqual([await one.isSignedIn(), await other.isSignedIn()], [true, true]);
    await rig.ask('DELETE', `/api/tokens/${first.id}`, { token: account.token });
    assert.deepEqual([await one.isSignedIn(), await other.isSignedIn()], [false, true]);
    await rig.ask('DELETE', `/api/tokens/${first.id}?issued=true`, { token: account.token });
    assert.equal(await other.isSignedIn(), false);
  });

  it('at once when its account is disabled or expires', async () => {
    for (const body of [{ disabled: true }, { expiresAt: '2026-08-26T09:00:00Z' }]) {
      const account = await rig.reader();
      const browsers = [await signedIn(rig, account.token), new Browser(rig)];
      await browsers[1]?.signIn({ body: { link: await newLink(rig, account.id) } });
      await rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });
      for (const browser of browsers)
        assert.deepEqual(refusalOf(await browser.ask('GET', '/session')), EXPIRED);
    }
  });

  it('with all others of its account, by its owner or an administrator', async () => {
    const account = await rig.reader();
    const kept = await signedIn(rig, (await rig.reader()).token);
    for (const [how, actor] of [
      [(browser: Browser) => browser.ask('DELETE', '/api/sessions'), account.name],
      [
        () => rig.ask('DELETE', `/admin/accounts/${account.name}/sessions`, { token: rig.admin }),
        'admin',
      ],
    ] as const) {
      const browsers = [await signedIn(rig, account.token), await signedIn(rig, account.token)];
      const link = await newLink(rig, account.id);
      const answer = await how(browsers[0] as Browser);
      assert.deepEqual(
        [answer.status, answer.json],
        [200, { ended: 2, revoked: 0, successful: true }],
      );
      assert.partialDeepStrictEqual((await rig.audit())[0], {
        actor,
        action: 'session.end',
        subject: account.name,
        detail: { sessions: 2, links: 1 },
      });
      for (const browser of browsers) assert.equal(await browser.isSignedIn(), false);
      const spent = await new Browser(rig).ask('POST', '/session', { body: { link } });
      assert.deepEqual(refusalOf(spent), [401, 'link_invalid']);
    }
    assert.equal(await kept.isSignedIn(), true);
    const unknown = await rig.ask('DELETE', '/admin/accounts/nobody/sessions', {
      token: rig.admin,
    });
    assert.deepEqual(refusalOf(unknown), [404, 'unknown_account']);
  });

  it('after 30 days', async (test) => {
    const own = await ownRig(test);
    const browser = await signedIn(own, own.admin);
    own.clock.advance(30 * DAY_MS - 1);
    assert.equal(await browser.isSignedIn(), true);
    own.clock.advance(1);
    assert.deepEqual(refusalOf(await browser.ask('GET', '/session')), EXPIRED);
  });
});

describe('a bad session', () => {
  it('counts as a bad token, but one that has merely ended does not', async (test) => {
    const own = await ownRig(test);
    const account = await own.reader();
    const browser = await signedIn(own, account.token);
    const { cookie } = browser;
    await own.ask('PATCH', `/admin/accounts/${account.id}`, {
      token: own.admin,
      body: { disabled: true },
    });
    const ask = async (with_: string | undefined) => {
      browser.cookie = with_;
      return refusalOf(await browser.ask('GET', '/session'));
    };
    for (let count = 0; count < 110; count += 1) assert.deepEqual(await ask(cookie), EXPIRED);
    const forged = `__Host-rapsheet_session=${formatSecret('session', Buffer.alloc(24, 1))}`;
    for (let count = 0; count < 50; count += 1) {
      assert.deepEqual(await ask(forged), EXPIRED);
      assert.deepEqual(await ask('__Host-rapsheet_session=x'), EXPIRED);
    }
    assert.deepEqual(await ask(forged), [429, 'too_many_bad_tokens']);
    assert.equal(browser.cookie, undefined, 'the cookie is removed');
    assert.deepEqual(await ask(cookie), EXPIRED, 'others on the address are not affected');
    await browser.signIn({ token: own.admin });
  });
});

describe('a sign-in link', () => {
  it('signs one browser in, once', async () => {
    const account = await rig.reader();
    const answer = await rig.ask('POST', `/admin/accounts/${account.name}/links`, {
      token: rig.admin,
    });
    assert.deepEqual(
      { ...answer.json, link: undefined },
      { link: undefined, expiresAt: '2026-08-26T10:15:00Z', successful: true },
    );
    const url = new URL(String(answer.json['link']));
    assert.equal(url.href.replace(url.hash, ''), `${BASE_URL}/welcome`);
    const body = { link: url.hash.slice(1) };
    const browser = new Browser(rig);
    const { json } = await browser.signIn({ body });
    assert.partialDeepStrictEqual(json, {
      name: account.name,
      session: { via: 'link', expiresAt: '2026-09-25T10:00:00Z' },
    });
    const again = await new Browser(rig).ask('POST', '/session', { body });
    assert.deepEqual(refusalOf(again), [401, 'link_invalid']);
    assert.equal(await browser.isSignedIn(), true);
    const [used, added] = await rig.audit();
    const subject = account.name;
    assert.partialDeepStrictEqual(added, { actor: 'admin', action: 'link.add', subject });
    assert.partialDeepStrictEqual(used, { actor: subject, action: 'link.use', subject });
    assert.ok(!JSON.stringify([used, added]).includes(body.link));
  });

  it('signs in once, however many requests try', async () => {
    const { id } = await rig.reader();
    const body = { link: await newLink(rig, id) };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => new Browser(rig).ask('POST', '/session', { body })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('expires after 15 minutes, an invitation after 7 days', async (test) => {
    const own = await ownRig(test);
    const { id } = await own.reader();
    for (const [purpose, lifetimeMs] of [
      ['sign-in', 15 * MINUTE_MS],
      ['invitation', 7 * DAY_MS],
    ] as const) {
      const [late, inTime] = [
        await newLink(own, id, { purpose }),
        await newLink(own, id, { purpose }),
      ];
      own.clock.advance(lifetimeMs - 1);
      await new Browser(own).signIn({ body: { link: inTime } });
      own.clock.advance(1);
      const answer = await new Browser(own).ask('POST', '/session', { body: { link: late } });
      assert.deepEqual(refusalOf(answer), [401, 'link_invalid']);
    }
  });

  it('of a disabled account is refused, even when the account is enabled again', async () => {
    const { id } = await rig.reader();
    const body = { link: await newLink(rig, id) };
    const set = (disabled: boolean) =>
      rig.ask('PATCH', `/admin/accounts/${id}`, { token: rig.admin, body: { disabled } });
    await set(true);
    const use = async () => refusalOf(await new Browser(rig).ask('POST', '/session', { body }));
    assert.deepEqual(await use(), [401, 'link_invalid']);
    await set(false);
    assert.deepEqual(await use(), [401, 'link_invalid']);
  });

  it('starts sessions whose tokens the account bounds, not a token', async () => {
    const account = await rig.reader();
    const browser = new Browser(rig);
    await browser.signIn({ body: { link: await newLink(rig, account.id) } });
    const { json } = await browser.ask('POST', '/api/tokens', { body: {} });
    assert.partialDeepStrictEqual(json, { issuedBy: null, expiresAt: null });
    const ofToken = await signedIn(rig, account.token);
    const issued = await ofToken.ask('POST', '/api/tokens', { body: {} });
    assert.notEqual(issued.json['issuedBy'], null);
  });

  it('that is malformed is refused, and counts as a bad token', async (test) => {
    const own = await ownRig(test);
    const body = { link: 'ral_nonsense' };
    for (let count = 0; count < 100; count += 1)
      assert.equal((await own.ask('POST', '/session', { body })).code, 'link_invalid');
    const refused = await own.ask('POST', '/session', { body });
    assert.deepEqual(refusalOf(refused), [429, 'too_many_bad_tokens']);
  });

  it('is created by administrators for accounts that exist', async () => {
    const { id, token } = await rig.researcher();
    const create = (account: string, asked: { token: string; body?: unknown }) =>
      rig.ask('POST', `/admin/accounts/${account}/links`, asked);
    assert.deepEqual(refusalOf(await create(id, { token })), [403, 'role_missing']);
    const unknown = await create('nobody', { token: rig.admin });
    assert.deepEqual(refusalOf(unknown), [404, 'unknown_account']);
    const bad = await create(id, { token: rig.admin, body: { purpose: 'other' } });
    assert.deepEqual(refusalOf(bad), [400, 'invalid_body']);
    assert.match(bad.text, /sign-in \(valid for 15 minutes\) or invitation \(valid for 7 days\)/);
  });
});
