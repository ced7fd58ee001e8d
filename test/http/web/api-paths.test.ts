import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PAGES } from '../../../src/http/routes/web.ts';
import { API_PATHS } from '../../../web/build/api-paths.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

describe('the proxy of the development server', () => {
  const isProxied = (url: string) => new RegExp(API_PATHS).test(url);

  it('passes every operation on to the server', () => {
    const paths = Object.keys(rig.app.swagger().paths ?? {});
    for (const path of [...paths, '/docs', '/docs/static/x.js', '/openapi.json'])
      for (const query of ['', '?q=1']) assert.ok(isProxied(path + query), path);
  });

  it('passes no page on', () => {
    for (const page of [...PAGES, '/src/main.tsx', '/@vite/client', '/node_modules/x.js'])
      assert.ok(!isProxied(page.replace('*', 'feed/api')), page);
    assert.ok(!isProxied('/admin?section=services'));
  });
});
