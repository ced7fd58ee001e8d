import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import type { BrowserRig } from '../rig/browser-rig.ts';

const server = createServer((_, answer) => {
  answer.setHeader('content-type', 'text/html').end('<!doctype html><title>Tools</title>');
});

/** The origin of a page that the server of the rig allows; it has another host and port. */
export async function allowedOrigin(): Promise<string> {
  if (!server.listening) await once(server.listen(0), 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

const CREATE = `
  fetch(url + '/feed/tools/api', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', 'idempotency-key': 'one' },
    body,
  }).then((answer) => [answer.status, answer.headers.get('location')])`;

const LOOK_UP = `
  fetch(url + '/private/sample/' + hash, { headers: { authorization: token } })
    .then((answer) => [answer.status, answer.headers.get('x-ratelimit-remaining')])`;

const FAIL = `
  fetch(url + '/private/sample/x', { headers: { authorization: 'rap_bad' } })
    .then((answer) => [answer.status, answer.headers.get('x-error-code')])`;

const WITH_CREDENTIALS = `
  fetch(url + '/session', { credentials: 'include' }).then((answer) => answer.text())`;

export function testAllowedOrigin(rig: BrowserRig): void {
  const hash = sha256Of('a file for a tool');
  before(async () => {
    await rig.admin.addService({ slug: 'tools' });
    await rig.importAnalysis('a file for a tool');
  });
  after(() => server.close());

  async function toolOf(token: string) {
    const body = JSON.stringify({ c2Address: 'evil.example:4444', file256Hash: hash });
    return { url: rig.url, token, hash, body };
  }

  it('calls the API with a token, and reads the headers of the answer', async () => {
    const person = await rig.researcher({ quota: { limit: 10, period: 'none' } });
    const page = await person.open(await allowedOrigin());
    await page.evaluate((values) => Object.assign(globalThis, values), await toolOf(person.token));
    const [created, location] = (await page.evaluate(CREATE)) as [number, string];
    assert.equal(created, 201);
    assert.match(location, /\/feed\/tools\/api\?report=/);
    assert.deepEqual(await page.evaluate(LOOK_UP), [200, '9']);
    assert.deepEqual(await page.evaluate(FAIL), [401, 'token_invalid']);
  });

  it('never uses the session of the browser', async () => {
    const person = await rig.researcher();
    const page = await person.open(await allowedOrigin());
    await page.evaluate((values) => Object.assign(globalThis, values), await toolOf(person.token));
    await assert.rejects(page.evaluate(WITH_CREDENTIALS), /Failed to fetch/);
  });
}
