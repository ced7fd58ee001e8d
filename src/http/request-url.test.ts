import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizeUrl } from './request-url.ts';

describe('the URL of a request', () => {
  for (const [url, normal] of [
    ['/', '/'],
    ['/?a=/', '/?a=/'],
    ['/api/services', '/api/services'],
    ['/api/services/', '/api/services'],
    ['/api/services/?limit=1/', '/api/services?limit=1/'],
    ['/api/services/#end/', '/api/services#end/'],
    ['/api/services/#a?b/', '/api/services#a?b/'],
    ['/services%2F', '/services%2F'],
    ['/feed/ply/api/?report=x/', '/feed/ply/api?report=x/'],
    ['/feed//ply/api', '/feed//ply/api'],
    ['//', '//'],
    ['/api/services//', '/api/services//'],
    ['/private/sample/', '/private/sample/'],
    ['/private/sample/?x', '/private/sample/?x'],
    ['/private/sample/a/', '/private/sample/a'],
    ['http://feeds.example/', 'http://feeds.example/'],
    ['http://feeds.example/livez/', 'http://feeds.example/livez'],
    ['*', '*'],
    ['', ''],
    ['/taxii2', '/taxii2/'],
    ['/taxii2?a=//', '/taxii2/?a=//'],
    ['//taxii2//feeds///collections', '/taxii2/feeds/collections/'],
    ['/taxii2/feeds/', '/taxii2/feeds/'],
    ['/taxii21//x', '/taxii21//x'],
    ['/misp/ply//manifest.json', '/misp/ply/manifest.json'],
    ['/misp/ply/manifest.json//', '/misp/ply/manifest.json'],
    ['/threatfox/api/v1', '/threatfox/api/v1/'],
    ['/threatfox/api/v1/?x', '/threatfox/api/v1/?x'],
    ['/threatfox/api/v10/', '/threatfox/api/v10'],
    ['/api/v1', '/api/v1/'],
    ['/api/v1/?x', '/api/v1/?x'],
    ['/api/v10/', '/api/v10'],
  ] as const) {
    it(`${JSON.stringify(url)} is ${JSON.stringify(normal)}`, () => {
      assert.equal(normalizeUrl(url), normal);
    });
  }
});
