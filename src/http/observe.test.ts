import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutTokens } from './observe.ts';

describe('an address in the log', () => {
  for (const [sent, logged] of [
    ['/websocket?hash=ab&apikey=secret', '/websocket?hash=ab&apikey=[hidden]'],
    ['/x?ApiKey=a=b&y=1', '/x?ApiKey=[hidden]&y=1'],
    ['/x?auth_token=secret#f', '/x?auth_token=[hidden]'],
    ['/private/sample/rap_abc-DEF_1', '/private/sample/[hidden]'],
    ['/x?q=rap_abc&z=2', '/x?q=[hidden]&z=2'],
    ['/feed/ply/api?report=1', '/feed/ply/api?report=1'],
    ['/feed/ply/stream?ticket=secret', '/feed/ply/stream?ticket=[hidden]'],
    ['/', '/'],
  ] as const) {
    it(`shows ${sent} as ${logged}`, () => {
      assert.equal(withoutTokens(sent), logged);
    });
  }
});
