import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PAGES } from '../../../src/http/routes/web.ts';
import { createBody } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const SERVICE = await rig.service();
const RESEARCHER = await rig.researcher();

const operations = Object.keys(rig.app.swagger().paths ?? {}).map((path) =>
  path.replace('{service}', SERVICE).replace(/\{\w+\}/g, 'x'),
);
const pages = PAGES.filter((page) => page !== '/').map((page) => page.replace('*', 'x'));
const paths = [...operations, ...pages, '/docs', '/docs/static/reference.css', '/openapi.json'];

/** PROPFIND stands for the methods that no path supports. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/** Answers without end. */
const isStream = (path: string) => path.endsWith('/stream');

function withOther(path: string): readonly [string, string] {
  return path.endsWith('/') ? [path.slice(0, -1), path] : [path, `${path}/`];
}

describe('a path with a slash at its end', () => {
  for (const path of paths)
    it(`is answered like one without it: ${path}`, async () => {
      // Only the first call would start a run.
      if (path === '/admin/reanalysis') await rig.ask('POST', path, { token: rig.admin });
      const tokens = [undefined, ...(isStream(path) ? [] : [RESEARCHER.token, rig.admin])];
      for (const method of METHODS)
        for (const token of tokens) {
          const [one, other] = await Promise.all(
            withOther(path).map((url) => rig.ask(method, url, { token })),
          );
          const brief = [one, other].map((answer) => [
            answer?.status,
            answer?.code,
            answer?.headers['allow'],
            answer?.headers['content-type'],
            answer?.headers['www-authenticate'],
          ]);
          assert.deepEqual(brief[1], brief[0], `${method} ${path}`);
        }
    });

  it('is not redirected', async () => {
    for (const path of ['/api/services/', '/livez/', '/feeds/', '/docs/'])
      assert.equal((await rig.ask('GET', path, { token: rig.admin })).status, 200, path);
  });

  it('belongs to the same route: its query, its report, its metrics', async () => {
    const { token } = RESEARCHER;
    const created = await rig.ask('POST', `/feed/${SERVICE}/api/`, { token, body: createBody() });
    assert.equal(created.status, 201);
    const { id } = created.json;
    assert.equal(
      created.headers['location'],
      `https://feeds.example/feed/${SERVICE}/api?report=${id}`,
    );
    const fetched = await rig.ask('GET', `/feed/${SERVICE}/api/?report=${id}`, { token });
    assert.equal(fetched.status, 200);
    const text = await rig.deps.metrics.registry.metrics();
    assert.match(text, /route="\/feed\/:service\/api",status="201"/);
    assert.doesNotMatch(text, /route="\/feed\/:service\/api\/"/);
  });

  it('is charged like a lookup without it', async () => {
    const { token } = await rig.reader({ limit: 5, period: 'none' });
    const left: unknown[] = [];
    for (const path of ['x', 'x/', '']) {
      const answer = await rig.ask('GET', `/private/sample/${path}`, { token });
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_hash']);
      left.push(answer.headers['x-ratelimit-remaining']);
    }
    assert.deepEqual(left, ['4', '3', '2']);
    assert.equal((await rig.ask('GET', '/private/sample', { token })).code, 'unknown_route');
  });

  it('is not one with two', async () => {
    for (const path of ['/api/services//', '//', '/private/sample//'])
      assert.equal((await rig.ask('GET', path)).code, 'unknown_route', path);
  });
});
