import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import type { BrowserRig } from '../rig/browser-rig.ts';
import type { Person } from '../rig/person.ts';

const REPORT = { c2Address: 'evil.example:4444', file256Hash: sha256Of('a file') };

/**
 * What a hostile page tries with the cookie of its visitor, as scripts that give what they learn.
 * The page has the variables `url`, `body` (a report) and `hash`.
 */
const ATTEMPTS: Readonly<Record<string, string>> = {
  'reads who is signed in': `
    fetch(url + '/session', { credentials: 'include' }).then((answer) => answer.text())`,
  'creates a report by a request without preflight': `
    fetch(url + '/feed/victim/api', {
      method: 'POST',
      credentials: 'include',
      mode: 'no-cors',
      headers: { 'content-type': 'text/plain' },
      body,
    }).then((answer) => answer.text())`,
  'creates a report with the header of the application': `
    fetch(url + '/feed/victim/api', {
      method: 'POST',
      credentials: 'include',
      headers: { 'content-type': 'application/json', 'x-rapsheet-request': '1' },
      body,
    }).then((answer) => answer.text())`,
  'spends a unit by a request without preflight': `
    fetch(url + '/private/sample/' + hash, { credentials: 'include', mode: 'no-cors' })
      .then((answer) => answer.text())`,
  'spends a unit by an image': `
    new Promise((resolve) => {
      const image = new Image();
      image.onload = image.onerror = () => resolve('');
      image.src = url + '/private/sample/' + hash + '/details?report=true';
    })`,
  'ends the session': `
    fetch(url + '/session', { method: 'DELETE', credentials: 'include' })
      .then((answer) => answer.text())`,
  'ends the session by a request without preflight': `
    fetch(url + '/session', { method: 'POST', credentials: 'include', mode: 'no-cors' })
      .then((answer) => answer.text())`,
  'follows the stream': `
    new Promise((resolve) => {
      const source = new EventSource(url + '/feed/all/stream', { withCredentials: true });
      source.onmessage = ({ data }) => resolve(data);
      source.onerror = () => {
        source.close();
        resolve('');
      };
    })`,
};

const SUBMIT = `
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: url + '/feed/victim/api', enctype: 'text/plain' });
  document.body.append(form);
  form.submit();`;

const EMBED = `
  new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = url + '/account';
    frame.onload = () => resolve();
    document.body.append(frame);
  })`;

export function testOtherOrigins(rig: BrowserRig): void {
  const hash = sha256Of('an analysed file');
  let evil: Server;
  before(async () => {
    await rig.admin.addService({ slug: 'victim' });
    await rig.importAnalysis('an analysed file');
    evil = createServer((_, answer) => {
      answer.setHeader('content-type', 'text/html').end(evilPage());
    }).listen(0);
    await once(evil, 'listening');
  });
  after(() => evil.close());

  const evilPage = () => {
    const values = { url: rig.url, body: JSON.stringify(REPORT), hash };
    return `<!doctype html><body><script>Object.assign(window, ${JSON.stringify(values)})</script>`;
  };

  const addressOf = (host: string) => `http://${host}:${(evil.address() as AddressInfo).port}/`;

  async function victim(): Promise<Person> {
    return rig.researcher({ quota: { limit: 10, period: 'none' } });
  }

  async function isUnharmed(person: Person): Promise<void> {
    assert.equal(await person.unitsLeft(), 10);
    assert.deepEqual((await person.client.listReports('victim')).reports, []);
    await person.open('/account');
    await person.heading(`Account ${person.name}`).waitFor();
  }

  // A host of the same site gets the cookie, because cookies ignore ports; another site does not.
  for (const [site, host] of [
    ['the same site', '127.0.0.1'],
    ['another site', 'localhost'],
  ] as const) {
    it(`on ${site} reads nothing, changes nothing and spends nothing`, async () => {
      const person = await victim();
      await person.open(addressOf(host));
      for (const [name, script] of Object.entries(ATTEMPTS)) {
        const learned = await person.page.evaluate(script).catch(() => '');
        assert.equal(learned, '', name);
      }
      await isUnharmed(person);
    });
  }

  it('cannot submit a form', async () => {
    const person = await victim();
    const page = await person.open(addressOf('127.0.0.1'));
    person.watch.allow(403, /^\/feed\/victim\/api$/);
    person.watch.allow(415, /^\/feed\/victim\/api$/);
    await Promise.all([page.waitForURL(/\/feed\/victim\/api$/), page.evaluate(SUBMIT)]);
    await isUnharmed(person);
  });

  it('cannot show the application in a frame', async () => {
    const person = await victim();
    const page = await person.open(addressOf('127.0.0.1'));
    await page.evaluate(EMBED);
    const [, frame] = page.frames();
    assert.equal(await frame?.getByText(person.name).count(), 0);
  });
}
