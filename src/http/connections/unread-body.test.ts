import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { discardUnreadBody } from './unread-body.ts';

/** A request with only the members that matter here. */
function request(complete: boolean): IncomingMessage & PassThrough {
  return Object.assign(new PassThrough(), { complete }) as unknown as IncomingMessage & PassThrough;
}

describe('the rest of an unread body', () => {
  beforeEach((test) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    'after' in test && test.after(() => mock.timers.reset());
  });

  it('is read for a limited time, then the connection is closed', () => {
    const sent = request(false);
    discardUnreadBody(sent);
    mock.timers.tick(4999);
    assert.equal(sent.destroyed, false);
    mock.timers.tick(1);
    assert.equal(sent.destroyed, true);
  });

  it('is discarded during that time', async () => {
    const sent = request(false);
    discardUnreadBody(sent);
    sent.end('the rest of it');
    await new Promise((resolve) => sent.once('end', resolve));
  });

  it('is discarded even if it was piped to a stream that is not read', async () => {
    const sent = request(false);
    sent.pipe(new PassThrough({ highWaterMark: 1 }));
    for (let chunks = 0; chunks < 10; chunks += 1) sent.write('x'.repeat(10_000));
    await turn();
    discardUnreadBody(sent);
    sent.end('the rest of it');
    await new Promise((resolve) => sent.once('end', resolve));
  });

  it('that has arrived completely keeps the connection open', () => {
    const sent = request(true);
    discardUnreadBody(sent);
    mock.timers.tick(60_000);
    assert.equal(sent.destroyed, false);
  });
});
