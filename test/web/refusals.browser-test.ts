import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const HASH = sha256Of('lantern');
const NO_REPORT = '01a1e403-fde9-7e1f-926d-d7c7a2d0d456';

describe('pages and refusals', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['evil.example'] });
    await rig.importAnalysis('lantern');
  });

  it('shows every page to somebody who may do everything', async () => {
    const person = await rig.person({ roles: ['researcher', 'admin'], services: ['ply'] });
    const report = { c2Address: 'evil.example:4444', file256Hash: HASH, tags: ['rat'] };
    const { id } = await person.client.createReport('ply', report);
    for (const [path, title] of [
      ['/', /Rapsheet/],
      ['/find?q=rat', /rat/],
      [`/files/${HASH}`, /lantern\.exe/],
      ['/c2/evil.example:4444', /evil\[\.\]example:4444/],
      ['/hosts/evil.example', /evil\[\.\]example/],
      ['/feeds', /Feeds/],
      ['/feeds/ply', /ply/],
      ['/feeds/ply/new', /New report/],
      [`/feeds/ply/reports/${id}`, /evil\[\.\]example:4444/],
      ['/upload', /Upload/],
      ['/desk', /Desk/],
      ['/desk/ply?status=actioned', /Desk/],
      ['/desk/ply?view=webhooks', /Desk/],
      ['/account', /Account/],
      ['/admin', /Admin/],
    ] as const) {
      const page = await person.open(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0, path);
    }
  });

  it('says which role a page needs, and who can give it', async () => {
    const reader = await rig.person();
    for (const [path, title] of [
      ['/upload', 'This page is not for your account'],
      ['/feeds/ply/new', 'This page is not for your account'],
      ['/desk/ply', 'This page is not for your account'],
      ['/desk', 'You have no desk'],
    ] as const) {
      await reader.open(path);
      await reader.heading(title).waitFor();
      await reader.sees(/An administrator can/);
    }
    for (const name of ['Upload', 'Desk']) assert.equal(await reader.link(name).count(), 0, name);
  });

  it('leads on from what does not exist, where trying again is of no use', async () => {
    const researcher = await rig.researcher();
    researcher.watch.allow(404, /^\/feed\//);
    researcher.watch.allow(400, /^\/api\/c2$/);
    for (const [path, title, wayOut] of [
      ['/feeds/none', 'No service is named none', 'All feeds'],
      [`/feeds/ply/reports/${NO_REPORT}`, 'Not found', 'Start page'],
      ['/c2/evil.example:99999', 'The server refused this', 'Start page'],
    ] as const) {
      const page = await researcher.open(path);
      await researcher.heading(title).waitFor();
      const content = page.locator('main');
      await content.getByRole('link', { name: wayOut }).waitFor();
      assert.equal(await content.getByRole('button', { name: 'Try again' }).count(), 0, path);
      assert.equal(await content.getByRole('link', { name: 'New report' }).count(), 0, path);
    }
  });

  it('keeps the administration to administrators', async () => {
    const researcher = await rig.researcher();
    await researcher.open('/admin');
    await researcher.heading('This page is not for your account').waitFor();
  });

  it('has a page for what does not exist, and leaves other paths to the API', async () => {
    const person = await rig.person();
    for (const path of ['/feeds/ply/nothing', '/desk/ply/nothing', '/files/a/b']) {
      await person.open(path);
      await person.heading('No such page').waitFor();
    }
    await person.link('Go to the start').click();
    await person.page.waitForURL(`${rig.url}/`);
    for (const path of ['/nothing', '/assets/nothing.js', '/admin/nothing']) {
      const answer = await fetch(rig.url + path, { headers: { accept: 'text/html' } });
      assert.match(answer.headers.get('content-type') ?? '', /json/, path);
    }
  });

  it('says that nothing is known of an address', async () => {
    const person = await rig.person();
    await person.open('/c2/unknown.example:1');
    await person.sees('Nothing is known of it');
  });

  it('offers the upload of a file that has no analysis', async () => {
    const unknown = sha256Of('unknown');
    for (const roles of [['researcher'], []] as const) {
      const person = await rig.person({ roles });
      person.watch.allow(404, /^\/private\/sample\//);
      await person.open(`/files/${unknown}`);
      await person.heading('No analysis of this file').waitFor();
      if (roles.length === 0) {
        assert.equal(await person.link('Upload the file').count(), 0);
        continue;
      }
      await person.link('Upload the file').click();
      await person.heading('Upload').waitFor();
    }
  });

  it('shows what a refused report lacks, and keeps what was typed', async () => {
    const person = await rig.researcher();
    const page = await person.open('/feeds/ply/new');
    // The server says what is wrong while one types.
    person.watch.allow(400, /^\/feed\/ply\//);
    await page.getByLabel('C2', { exact: true }).fill('evil[.]example');
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('C2', { exact: true }).fill('evil[.]example:4444');
    await page.getByLabel('SHA-256 of the file').fill('abc');
    await page.getByRole('alert').first().waitFor();
    assert.equal(await person.button(/^Report/).isDisabled(), true);
    await page.getByLabel('SHA-256 of the file').fill(HASH);
    await person.button(/^Report/).click();
    await person.heading('evil[.]example:4444').waitFor();
  });

  it('says when the server does not answer, and goes on when it is back', async () => {
    const person = await rig.person();
    await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    person.watch.mayLoseServer = true;
    const start = await rig.stopServer();
    await person.page.getByLabel('Search').fill('lantern');
    await person.page.keyboard.press('Enter');
    await person.heading('The server does not answer').waitFor();
    await start();
    await person.button('Try again').last().click();
    await person.sees('lantern.exe');
  });
});
