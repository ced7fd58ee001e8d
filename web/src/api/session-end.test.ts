import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticingSessionEnd, whenSessionEnds } from './session-end.ts';

async function endsAfter(url: string, status: number): Promise<number> {
  let ends = 0;
  whenSessionEnds(() => {
    ends += 1;
  });
  const noticing = noticingSessionEnd(() => Promise.resolve(new Response(null, { status })));
  const response = await noticing(url);
  assert.equal(response.status, status);
  return ends;
}

test('a refused call tells that the session has ended', async () => {
  assert.equal(await endsAfter('http://rapsheet.test/api/services', 401), 1);
  assert.equal(await endsAfter('http://rapsheet.test/api/services', 403), 0);
  assert.equal(await endsAfter('http://rapsheet.test/api/services', 200), 0);
});

test('a refused sign-in does not', async () =>
  assert.equal(await endsAfter('http://rapsheet.test/session', 401), 0));
