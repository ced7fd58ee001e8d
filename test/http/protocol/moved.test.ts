import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { MOVED_ROUTES, OLD_THREATFOX_URL } from '../../../src/http/routes/moved.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const { token } = await rig.reader();

const ROOTS = ['feed', 'private', 'api', 'admin', 'session', 'taxii2', 'misp', 'threatfox'];
const HEALTH = ['livez', 'readyz', 'healthz'];

describe('the paths of the API', () => {
  it('have few roots', () => {
    const paths = Object.keys(rig.app.swagger().paths ?? {});
    const roots = new Set(paths.map((path) => path.split('/')[1]));
    assert.deepEqual([...roots].sort(), [...ROOTS, ...HEALTH].sort());
  });

  it('have parameters in snake case', () => {
    const operations = Object.values(rig.app.swagger().paths ?? {}).flatMap((path) =>
      Object.values(path as Readonly<Record<string, { readonly parameters?: unknown }>>),
    );
    const names = operations
      .flatMap(({ parameters = [] }) => parameters as readonly { in: string; name: string }[])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name);
    assert.ok(names.length > 100);
    for (const name of names) assert.match(name, /^[a-z0-9_]+(?:\[[a-z_]+\])?$/);
  });
});

describe('the paths of the last version', () => {
  const paths = rig.app.swagger().paths ?? {};
  const withBraces = (url: string) => url.replace(/:(\w+)/g, '{$1}');
  const withValues = (url: string) => url.replace(/:\w+/g, 'a%2Fb%3F%20%C3%A9');

  for (const { method, from, to } of MOVED_ROUTES) {
    it(`lead to the new one: ${method} ${from}`, async () => {
      assert.ok(Object.hasOwn(paths[withBraces(to)] ?? {}, method.toLowerCase()));
      const answer = await rig.ask(method, `${withValues(from)}?q=%2Fx&limit=1&q=%3F`);
      assert.equal(answer.status, 308);
      assert.equal(answer.code, 'moved');
      assert.equal(answer.headers['location'], `${withValues(to)}?q=%2Fx&limit=1&q=%3F`);
      assert.deepEqual(Object.keys(answer.json), ['error', 'successful']);
      assert.match(String(answer.json['error']), new RegExp(`moved to ${withValues(to)}\\. `));
    });

    it(`lead nowhere with another method: ${from}`, async () => {
      const other = await rig.ask(method === 'GET' ? 'POST' : 'GET', withValues(from), { token });
      assert.deepEqual([other.status, other.headers['allow']], [405, method]);
    });
  }

  it('lead to the same answer, with and without a slash at their end', async () => {
    const { json } = await rig.ask('GET', '/api/route?c2=evil.example:1', { token });
    for (const url of ['/route?c2=evil.example:1', '/route/?c2=evil.example:1']) {
      const { headers } = await rig.ask('GET', url, { token });
      const followed = await rig.ask('GET', String(headers['location']), { token });
      assert.deepEqual([followed.status, followed.json], [200, json]);
    }
  });

  it('lead nowhere else, whatever the URL contains', async () => {
    for (const [url, location] of [
      ['/stats/reporters/%2F%2Fevil.example', '/api/statistics/reporters/%2F%2Fevil.example'],
      ['/stats/reporters/%0d%0aset-cookie:x', '/api/statistics/reporters/%0D%0Aset-cookie%3Ax'],
      ['http://evil.example/search?q=1', '/api/search?q=1'],
      ['/search?next=https://evil.example', '/api/search?next=https://evil.example'],
    ] as const)
      assert.equal((await rig.ask('GET', url)).headers['location'], location, url);
    assert.equal((await rig.ask('GET', '//evil.example/search')).status, 404);
  });

  it('are those below the path of a base URL', async () => {
    const below = await openRig({ baseUrl: 'https://rapsheet.example/abuse' });
    const { headers } = await below.ask('GET', '/services?limit=2');
    assert.equal(headers['location'], '/abuse/api/services?limit=2');
    await below.close();
  });

  it('include that of ThreatFox, which answers itself', async () => {
    const body = { query: 'get_iocs', days: 1 };
    for (const url of [OLD_THREATFOX_URL, '/api/v1', '/threatfox/api/v1/', '/threatfox/api/v1']) {
      const answer = await rig.ask('POST', url, { token, body });
      assert.deepEqual([answer.status, answer.json], [200, { query_status: 'no_result' }], url);
    }
    assert.equal((await rig.ask('POST', OLD_THREATFOX_URL, { body })).status, 401);
    assert.ok(!Object.hasOwn(paths, OLD_THREATFOX_URL));
  });

  it('are listed as deprecated', () => {
    const text = readFileSync(new URL('../../../DEPRECATIONS.md', import.meta.url), 'utf8');
    for (const { method, from, to } of MOVED_ROUTES) {
      const row = `| \`${method} ${withBraces(from)}\` | \`${method} ${withBraces(to)}\` |`;
      assert.ok(text.includes(row), row);
    }
    for (const word of [OLD_THREATFOX_URL, 'lastEventId']) assert.ok(text.includes(word), word);
  });
});
