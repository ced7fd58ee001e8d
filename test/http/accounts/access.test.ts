import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fastify from 'fastify';
import { formatToken } from '../../../src/domain/accounts/token.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { guardRoutes } from '../../../src/http/gate/access.ts';
import { StreamTickets } from '../../../src/http/stream/tickets.ts';
import { openRig, ownRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const REALM = 'Bearer realm="rapsheet"';
/** Valid in form, but never issued. */
const STRANGER = formatToken(new Uint8Array(24).fill(7));

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

async function statusWith(headers: Record<string, string>): Promise<number> {
  return (await rig.ask('GET', '/api/balance', { headers })).status;
}

describe('a token', () => {
  for (const [what, headers] of Object.entries({
    'as the whole Authorization': (token: string) => ({ authorization: token }),
    'with Bearer': (token: string) => ({ authorization: `Bearer ${token}` }),
    'with bearer': (token: string) => ({ authorization: `bearer ${token}` }),
    'with BEARER and two blanks': (token: string) => ({ authorization: `BEARER  ${token}` }),
    'with Token': (token: string) => ({ authorization: `Token ${token}` }),
    'with tOKEN': (token: string) => ({ authorization: `tOKEN ${token}` }),
    'as password of Basic': (token: string) => ({ authorization: basic('anybody', token) }),
    'as password of basic': (token: string) => ({
      authorization: basic('x', token).replace('Basic', 'basic'),
    }),
    'as password of Basic without a user': (token: string) => ({
      authorization: basic('', token),
    }),
    'as user name of Basic': (token: string) => ({ authorization: basic(token, 'x') }),
    'as X-Api-Key': (token: string) => ({ 'x-api-key': token }),
    'as Auth-Key': (token: string) => ({ 'auth-key': token }),
    'as X-Api-Key with an empty Authorization': (token: string) => ({
      authorization: '',
      'x-api-key': token,
    }),
  })) {
    it(`is taken ${what}`, async () => {
      assert.equal(await statusWith(headers((await rig.reader()).token)), 200);
    });
  }

  it('in Authorization takes precedence over one in another header', async () => {
    const { token } = await rig.reader();
    assert.equal(await statusWith({ authorization: STRANGER, 'x-api-key': token }), 401);
    assert.equal(await statusWith({ authorization: token, 'x-api-key': STRANGER }), 200);
  });

  it('is never read from the URL', async () => {
    const { token } = await rig.reader();
    for (const name of ['token', 'apikey', 'api_key', 'access_token', 'authorization', 'auth'])
      assert.equal((await rig.ask('GET', `/api/balance?${name}=${token}`)).status, 401);
  });

  it('is never read from a cookie or a body', async () => {
    const { token } = await rig.researcher();
    assert.equal(await statusWith({ cookie: `token=${token}; authorization=${token}` }), 401);
    const answer = await rig.ask('POST', `/feed/${await rig.service()}/api`, {
      body: { token, access_token: token },
    });
    assert.equal(answer.status, 401);
  });

  for (const [what, authorization] of Object.entries({
    unknown: `Bearer ${STRANGER}`,
    'with a wrong checksum': `Bearer ${STRANGER.slice(0, -1)}${STRANGER.endsWith('A') ? 'B' : 'A'}`,
    'cut short': `Bearer ${STRANGER.slice(0, -5)}`,
    'of another form': 'Bearer eyJhbGciOiJub25lIn0.e30.',
    'without its scheme’s credentials': 'Bearer',
    'of another scheme': 'Digest username="x"',
    'Basic without a colon': `Basic ${Buffer.from('x').toString('base64')}`,
    'Basic that is not base64': 'Basic ***',
    'Basic with bytes that are no text': `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
    'a list of two': `Bearer ${STRANGER}, Bearer ${STRANGER}`,
    'very long': `Bearer ${'x'.repeat(8000)}`,
  })) {
    it(`is refused with 401 invalid_token when it is ${what}`, async () => {
      const answer = await rig.ask('GET', '/api/balance', { headers: { authorization } });
      assert.equal(answer.status, 401);
      assert.equal(answer.code, 'token_invalid');
      assert.equal(answer.headers['www-authenticate'], `${REALM}, error="invalid_token"`);
    });
  }

  it('that is missing gets a challenge without an error code', async () => {
    for (const headers of [{}, { authorization: '' }]) {
      const answer = await rig.ask('GET', '/api/balance', { headers });
      assert.equal(answer.status, 401);
      assert.equal(answer.code, 'token_missing');
      assert.equal(answer.headers['www-authenticate'], REALM);
    }
  });

  it('without the required role gets 403, which names the role', async () => {
    const { token } = await rig.reader();
    const create = await rig.create(await rig.service(), token);
    assert.equal(create.status, 403);
    assert.equal(
      create.headers['www-authenticate'],
      `${REALM}, error="insufficient_scope", scope="researcher"`,
    );
    const admin = await rig.ask('GET', '/admin/audit', { token });
    assert.equal(admin.status, 403);
    assert.equal(
      admin.headers['www-authenticate'],
      `${REALM}, error="insufficient_scope", scope="admin"`,
    );
  });
});

describe('a token that has ended', () => {
  it('is refused from the exact time of its expiry', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.reader();
    const issued = await own.ask('POST', '/api/tokens', {
      token,
      body: { expiresAt: '2026-08-26T11:00:00Z' },
    });
    const expiring = String(issued.json['token']);
    own.clock.set('2026-08-26T10:59:59.999Z');
    assert.equal((await own.ask('GET', '/api/balance', { token: expiring })).status, 200);
    own.clock.set('2026-08-26T11:00:00.000Z');
    const refused = await own.ask('GET', '/api/balance', { token: expiring });
    assert.equal(refused.code, 'token_invalid');
    assert.equal((await own.ask('GET', '/api/balance', { token })).status, 200);
  });

  it('is refused from the exact time at which its account expires', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.account({ expiresAt: new Date('2026-08-26T11:00:00Z') });
    own.clock.set('2026-08-26T10:59:59.999Z');
    assert.equal((await own.ask('GET', '/api/balance', { token })).status, 200);
    own.clock.set('2026-08-26T11:00:00.000Z');
    assert.equal((await own.ask('GET', '/api/balance', { token })).code, 'token_invalid');
  });

  it('ends with the earlier of the two expiries', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.account({ expiresAt: new Date('2026-08-26T11:00:00Z') });
    const issued = await own.ask('POST', '/api/tokens', {
      token,
      body: { expiresAt: '2027-01-01T00:00:00Z' },
    });
    own.clock.set('2026-08-26T11:00:00Z');
    const answer = await own.ask('GET', '/api/balance', { token: String(issued.json['token']) });
    assert.equal(answer.status, 401);
  });

  it('is refused by every route at once, and takes no quota', async () => {
    const account = await rig.account({
      roles: ['researcher', 'admin'],
      quota: { limit: 5, period: 'none' },
    });
    const service = await rig.service();
    const body = { disabled: true };
    await rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });
    assert.equal((await rig.create(service, account.token)).status, 401);
    assert.equal((await rig.lookUp('x', account.token)).status, 401);
    assert.equal((await rig.ask('GET', '/admin/audit', { token: account.token })).status, 401);
    await rig.ask('PATCH', `/admin/accounts/${account.id}`, {
      token: rig.admin,
      body: { disabled: false },
    });
    assert.equal(await rig.unitsLeft(account.token), 5);
  });

  it('gets the same response whether it is unknown, revoked or of a disabled account', async () => {
    const [revoked, disabled] = [await rig.reader(), await rig.reader()];
    const listed = await rig.ask('GET', '/api/tokens', { token: revoked.token });
    const [{ id }] = listed.json['tokens'] as [{ id: string }];
    await rig.ask('DELETE', `/api/tokens/${id}`, { token: revoked.token });
    await rig.ask('PATCH', `/admin/accounts/${disabled.id}`, {
      token: rig.admin,
      body: { disabled: true },
    });
    const texts = await Promise.all(
      [STRANGER, revoked.token, disabled.token].map(
        async (token) => (await rig.ask('GET', '/api/balance', { token })).text,
      ),
    );
    assert.equal(new Set(texts).size, 1);
  });
});

describe('every operation', () => {
  interface Documented {
    readonly security?: readonly Record<string, readonly string[]>[];
  }
  const operations = Object.entries(rig.app.swagger().paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Documented>).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path,
      url: path
        .replace('{service}', 'x')
        .replace(/\{\w+\}/g, '01a03d83-2500-7000-8000-000000000000'),
      isPublic: security?.length === 0,
      // Checks its own credentials; test/http/accounts/sessions.test.ts has its cases.
      isSignIn: path === '/session' && method !== 'get',
    })),
  );

  for (const [index, { method, path, url, isPublic, isSignIn }] of operations.entries()) {
    if (isSignIn) continue;
    if (isPublic) {
      it(`${method} ${path} is public`, async () => {
        assert.equal((await rig.ask(method, url)).status, 200);
      });
      continue;
    }

    it(`${method} ${path} needs a token`, async () => {
      assert.equal((await rig.ask(method, url)).code, 'token_missing');
      // Uses its own client address, because too many bad tokens from one address are throttled.
      const asked = { token: STRANGER, remoteAddress: `10.0.0.${index}` };
      assert.equal((await rig.ask(method, url, asked)).code, 'token_invalid');
    });

    if (!path.startsWith('/admin/')) continue;
    it(`${method} ${path} needs the role admin, which is neither researcher nor owner`, async () => {
      const account = await rig.account({
        roles: ['researcher'],
        services: [await rig.service()],
      });
      assert.equal((await rig.ask(method, url, { token: account.token })).code, 'role_missing');
    });
  }

  it('is refused if the store cannot check the token', async (test) => {
    let cause: Error = new Problem('unavailable');
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        access: {
          findCredential: () => Promise.reject(cause),
          findService: (slug) => store.access.findService(slug),
        },
      }),
    });
    const guarded = operations.filter(({ isPublic }) => !isPublic);
    for (const { method, url } of guarded)
      assert.equal((await own.ask(method, url, { token: own.admin })).status, 503);
    cause = new Error('disk on fire');
    for (const { method, url } of guarded)
      assert.equal((await own.ask(method, url, { token: own.admin })).status, 500);
  });

  it('is refused if the store throws while it checks the token', async (test) => {
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        access: {
          findCredential: () => {
            throw new Problem('unavailable');
          },
          findService: (slug) => store.access.findService(slug),
        },
      }),
    });
    for (const { method, url } of operations.filter(({ isPublic }) => !isPublic))
      assert.equal((await own.ask(method, url, { token: own.admin })).status, 503);
  });

  it('is refused with 429 after too many bad tokens', async (test) => {
    const own = await ownRig(test);
    for (let attempt = 0; attempt < 100; attempt += 1)
      await own.ask('GET', '/api/balance', { token: STRANGER });
    for (const { method, url, isPublic } of operations.filter(({ isSignIn }) => !isSignIn))
      assert.equal((await own.ask(method, url, { token: STRANGER })).status, isPublic ? 200 : 429);
  });

  it('without a token only checks whether the server runs, or signs in or out', () => {
    const open = operations.filter(({ isPublic }) => isPublic).map(({ path }) => path);
    assert.deepEqual(open.sort(), ['/healthz', '/livez', '/readyz', '/session', '/session']);
  });
});

describe('a route', () => {
  function bare() {
    const app = fastify();
    guardRoutes(app, rig.deps, new StreamTickets(rig.deps));
    return app;
  }

  it('that does not declare its access stops the server from starting', async () => {
    const app = bare();
    app.get('/open', async () => 'secret');
    await assert.rejects(
      Promise.resolve(app.ready()),
      /the route GET \/open does not declare its access/,
    );
  });

  it('in a plugin that does not declare its access stops the server too', async () => {
    const app = bare();
    app.register(
      (scope, _, done) => {
        scope.post('/hidden', async () => 'secret');
        done();
      },
      { prefix: '/inner' },
    );
    await assert.rejects(Promise.resolve(app.ready()), /POST \/inner\/hidden/);
  });

  for (const access of ['owner', 'owner-or-admin'] as const)
    it(`for ${access} without a service in its path stops the server from starting`, async () => {
      const app = bare();
      app.get('/feed/:feed/secret', { config: { access } }, async () => 'secret');
      await assert.rejects(Promise.resolve(app.ready()), /names no service to own/);
    });

  it('that declares its access lets the server start, and is checked', async () => {
    const app = bare();
    app.get('/anybody', { config: { access: 'public' } }, async () => 'x');
    app.get('/callers', { config: { access: 'token' } }, async () => 'x');
    await app.ready();
    assert.equal((await app.inject('/anybody')).statusCode, 200);
    assert.notEqual((await app.inject('/callers')).statusCode, 200);
    await app.close();
  });
});
