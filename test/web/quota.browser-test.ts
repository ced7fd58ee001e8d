import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { awayFromMidnight } from '../until.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const HASH = sha256Of('lantern');
const C2 = 'evil.example:4444';

describe('the quota in the browser', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.example', 'evil.example'] });
    await rig.importAnalysis('lantern');
  });

  it('is charged one unit for the page of a file, and none for showing it again', async () => {
    const person = await rig.person({ quota: { limit: 10, period: 'none' } });
    const page = await person.open(`/files/${HASH}`);
    await person.heading('lantern.exe').waitFor();
    await person.sees(/cost one unit; 9 left/);
    assert.equal(await person.unitsLeft(), 9);

    await person.link(/^Settings/).click();
    await page.getByRole('row', { name: /C2s/ }).waitFor();
    await person.link(/^Overview/).click();
    await person.link('Feeds').click();
    await person.heading('Feeds').waitFor();
    await page.goBack();
    await person.heading('lantern.exe').waitFor();
    await page.evaluate(`
      for (const name of ['blur', 'focus', 'online']) dispatchEvent(new Event(name));
      document.dispatchEvent(new Event('visibilitychange'));`);
    await page.getByLabel('Search').fill(HASH);
    await page.keyboard.press('Enter');
    await person.heading('lantern.exe').waitFor();
    assert.equal(await person.unitsLeft(), 9);

    // The tab states its price.
    await person.link(/^Similar.*1 unit/).click();
    await person.heading('No similar file is known').waitFor();
    assert.equal(await person.unitsLeft(), 8);
    await person.link(/^Overview/).click();
    await person.link(/^Similar/).click();
    await person.heading('No similar file is known').waitFor();
    assert.equal(await person.unitsLeft(), 8);

    await page.reload();
    await person.heading('lantern.exe').waitFor();
    // The tab is part of the address; only a click pays for it.
    await person.button(/1 unit/).waitFor();
    await person.sees(/looked up before in this browser and cost nothing; 8 left/);
    const other = await person.context.newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'lantern.exe' }).waitFor();
    assert.equal(await person.unitsLeft(), 8);
    await person.choose('More', /^Look up again/);
    await person.sees('This is the present analysis.');
    assert.equal(await person.unitsLeft(), 7);
  });

  it('is charged again for another account of the same browser', async () => {
    const person = await rig.person({ quota: { limit: 10, period: 'none' } });
    await person.open(`/files/${HASH}`);
    await person.sees(/cost one unit; 9 left/);
    await person.choose(/^Account/, 'Sign out');
    await person.heading('Sign in').waitFor();
    const other = await rig.person({ quota: { limit: 5, period: 'none' } });
    await person.signInWith(other.token);
    await person.page.waitForURL((url) => url.pathname !== '/sign-in');
    await person.open(`/files/${HASH}`);
    await person.sees(/cost one unit; 4 left/);
  });

  it('is not charged by any other page', async () => {
    const person = await rig.researcher({
      services: ['ply'],
      quota: { limit: 10, period: 'none' },
    });
    const { id } = await person.client.createReport('ply', { c2Address: C2, file256Hash: HASH });
    for (const [path, text] of [
      ['/', 'Rapsheet'],
      ['/find?q=lantern', 'lantern.exe'],
      ['/feeds/ply', 'evil[.]example:4444'],
      [`/feeds/ply/reports/${id}`, 'Evidence'],
      [`/feeds/ply/new?c2=${C2}&hash=${HASH}`, '+ lantern'],
      [`/c2/${C2}`, 'Newest reports'],
      ['/hosts/evil.example', 'Newest reports'],
      ['/desk/ply', 'Evidence'],
      ['/upload', /Drop files/],
      ['/account', 'evil[.]example:4444'],
    ] as const) {
      await person.open(path);
      await person.sees(text);
      await person.page.waitForLoadState('load');
    }
    assert.equal(await person.unitsLeft(), 10);
  });

  it('says that it is exhausted, and what else can be done', async () => {
    const person = await rig.person({ quota: { limit: 1, period: 'none' } });
    await person.client.lookUp(HASH);
    person.watch.allow(429, /^\/private\/sample\//);
    await person.open(`/files/${HASH}`);
    await person.heading('No units are left').waitFor();
    assert.equal(await person.page.getByText('cost one unit').count(), 0);
  });

  it('is itemised on the account page, by operation and token, and for a chosen day', async () => {
    await awayFromMidnight();
    const person = await rig.person({ quota: { limit: 10, period: 'none' } });
    const issued = await person.client.issueToken({ label: 'nightly import' });
    await rig.clientOf(issued.token).lookUpMany([HASH, HASH, HASH]);
    await person.client.lookUp(HASH);
    const page = await person.open('/account');
    const operations = page.getByRole('list', { name: 'Units by operation' });
    await operations.getByRole('listitem').filter({ hasText: 'batch' }).getByText('3').waitFor();
    const tokens = page.getByRole('list', { name: 'Units by token' });
    await tokens.getByRole('listitem').filter({ hasText: 'nightly import' }).waitFor();
    const day = new Date().toISOString().slice(0, 10);
    await page.getByLabel('What was charged on').selectOption(day);
    const table = page.getByRole('table', { name: `Charges of ${day}` });
    const row = table.getByRole('row').filter({ hasText: 'nightly import' });
    assert.match((await row.textContent()) ?? '', /batch3/);
    assert.equal(await table.getByRole('row').count(), 3);
  });
});
