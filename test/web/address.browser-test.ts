import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { isQuiet } from './rig/quiet.ts';

const HOST = 'async.example.invalid';
const C2 = `${HOST}:6606`;
const DIRECTORY = join(import.meta.dirname, '../fixtures/directory');
const UNCONFIRMED = 'other.example.invalid:1';

describe('the page of an address', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig(async () => ({ RAPSHEET_DIRECTORY: DIRECTORY }));
  let hash = '';
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.example.invalid'] });
    await rig.admin.addService({ slug: 'cask' });
    const { token } = await rig.admin.addAccount({ name: 'mallory', roles: ['researcher'] });
    const reporter = rig.clientOf(token);
    const file = new Blob([Uint8Array.from(fixture('analysis/families/asyncrat-plain.exe'))]);
    hash = (await uploadAndWait(reporter, file, 'asyncrat.exe')).sha256Hash;
    for (const service of ['ply', 'cask'])
      await reporter.createReport(service, { c2Address: C2, file256Hash: hash });
    const unconfirmed = { c2Address: UNCONFIRMED, file256Hash: 'c'.repeat(64) };
    await reporter.createReport('ply', unconfirmed);
    await reporter.createReport('ply', { ...unconfirmed, c2Address: `b.${HOST}:1` });
  });

  it('says in its first line whether it is bad, and who reported it', async () => {
    const person = await rig.person();
    for (const path of [`/c2/${C2}`, `/hosts/${HOST}`]) {
      const page = await person.open(path);
      await person.sees('Confirmed by the settings of 1 file');
      await person.sees(/^Open in 2 feeds; last seen /);
      await page.getByRole('link', { name: 'mallory' }).first().waitFor();
    }
    await person.open(`/c2/${UNCONFIRMED}`);
    await person.sees('Reported by 1 account, confirmed by no file');
  });

  it('has a graph that arrow keys walk through, and the same as a table', async () => {
    const person = await rig.person();
    const before = await person.unitsLeft();
    const page = await person.open(`/c2/${C2}`);
    const graph = page.getByRole('group', { name: /^What is within two steps/ });
    const node = (name: RegExp) => graph.getByRole('link', { name });
    await node(/^File asyncrat\.exe/).waitFor();
    // One stop of the tab key.
    assert.equal(await graph.locator('a[tabindex="0"]').count(), 1);
    await node(/^C2 async\[\.\]example\[\.\]invalid:6606,/).focus();
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await page.keyboard.press('ArrowRight');
    assert.match(String(await focused()), /^Host async\[\.\]example\[\.\]invalid, /);
    await page.keyboard.press('ArrowDown');
    assert.match(String(await focused()), /^Family ASYNCRAT, 1 link$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.match(String(await focused()), /^C2 async\[\.\]example\[\.\]invalid:7707, /);

    await page.getByText('As a table').click();
    const table = page.getByRole('table', { name: /^What is within two steps/ });
    const links = await graph.getByRole('link').count();
    assert.equal(await table.getByRole('rowheader').count(), links);
    await table.getByRole('row', { name: /^1 File asyncrat\.exe/ }).waitFor();

    await node(/invalid:7707/).focus();
    await page.keyboard.press('Enter');
    await person.heading(/:7707$/).waitFor();
    // Neither page looked a file up.
    assert.equal(await person.unitsLeft(), before);
  });

  it('lists what belongs to a host, within narrow screens too', async () => {
    const person = await rig.person({ bypassCSP: true });
    const page = await person.open(`/hosts/${HOST}`);
    await person.heading(/^C2s of this host \(\d\)/).waitFor();
    await person.heading('Names below async[.]example[.]invalid (1)').waitFor();
    await page.getByText('As a table').click();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await isQuiet(page);
      assert.deepEqual(await violationsOf(page), [], `${width} px`);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(overflow, 0, `${width} px`);
    }
  });

  it('says who answers for it, also if no feed does, and how to reach them', async () => {
    const person = await rig.researcher({ bypassCSP: true });
    const c2Address = 'evil.tunnel.invalid:443';
    const { id } = await person.client.createReport('cask', { c2Address, file256Hash: hash });
    const paths = [`/c2/${c2Address}`, '/hosts/evil.tunnel.invalid', `/feeds/cask/reports/${id}`];
    for (const path of paths) {
      const page = await person.open(path);
      const who = page.getByRole('region', { name: 'Who answers' });
      await who.getByText('Tunnel Inc.').waitFor();
      await who.getByText('as of 2026-01-31').waitFor();
      const mail = who.getByRole('link', { name: 'abuse@tunnel.example' });
      assert.match(
        String(await mail.getAttribute('href')),
        /^mailto:abuse@tunnel\.example\?subject=Abuse%20report%3A%20evil%5B\.%5Dtunnel/,
      );
      const form = who.getByRole('link', { name: 'Form for reports' });
      assert.equal(await form.getAttribute('href'), 'https://tunnel.example/abuse/form');
      assert.equal(await form.getAttribute('rel'), 'noreferrer');
      await isQuiet(page);
      assert.deepEqual(await violationsOf(page), [], path);
    }
    await person.open(`/c2/${C2}`);
    const who = person.page.getByRole('region', { name: 'Who answers' });
    await who.getByText('ply has declared example.invalid').waitFor();
    await person.open('/c2/198.51.100.7:1');
    await person.page.getByText(/^Nobody is known: /).waitFor();
  });

  it('says that a desk has rejected it', async () => {
    const [person, desk] = [await rig.researcher(), await rig.person({ services: ['ply'] })];
    const c2Address = 'wrong.example.invalid:1';
    const { id } = await person.client.createReport('ply', { c2Address, file256Hash: hash });
    await desk.client.setStatus('ply', id, { status: 'rejected', reason: 'false_positive' });
    await person.open(`/c2/${c2Address}`);
    await person.sees('Rejected as a false positive by the desk of ply');
    await isQuiet(person.page);
    assert.deepEqual(await person.page.getByText(/^Confirmed/).count(), 0);
  });
});
