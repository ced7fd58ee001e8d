import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const HASH = sha256Of('lantern');

describe('a report', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.ply.example'] });
    await rig.admin.addService({ slug: 'delta', hosts: ['*.delta.example'] });
    await rig.importAnalysis('lantern');
  });

  it('is refused by field while it is written, in the words of the server', async () => {
    const person = await rig.researcher();
    const page = await person.open('/feeds/ply/new');
    person.watch.allow(400, /^\/feed\/ply\/preview$/);
    const field = (label: string | RegExp) => page.getByLabel(label, { exact: true });
    const send = person.button('Report to ply');
    await field('C2').fill('evil[.]ply[.]example:4444');
    await field('SHA-256 of the file').fill(HASH);
    await page.getByText('checked by the server').waitFor();
    for (const [label, bad, good, says] of [
      ['C2', 'evil.ply.example:99999', 'evil.ply.example:4444', /port/i],
      ['SHA-256 of the file', 'abc', HASH, /64|hexadecimal/],
      ['Tags', 'x'.repeat(65), 'rat', /64/],
      ['Link to your evidence', 'javascript:alert(1)', 'https://a.example/', /http/],
      ['Confidence, 0 to 100', '101', '90', /100/],
    ] as const) {
      await field(label).fill(bad);
      const error = page.getByRole('alert').filter({ hasText: says });
      await error.first().waitFor();
      assert.equal(await field(label).getAttribute('aria-invalid'), 'true', label);
      const described = (await field(label).getAttribute('aria-describedby')) ?? '';
      assert.match(described, /-error$/, label);
      assert.equal(await send.isDisabled(), true, label);
      await field(label).fill(good);
      await error.first().waitFor({ state: 'detached' });
    }
    await page.getByText('checked by the server').waitFor();
    await send.click();
    await person.heading('evil[.]ply[.]example:4444').waitFor();
    const [report] = (await person.client.listReports('ply')).reports;
    assert.equal(report?.c2Address, 'evil.ply.example:4444');
    assert.deepEqual([report?.tags, report?.confidenceScore], [['rat'], 90]);
  });

  it('is offered to the service that answers for its address', async () => {
    const person = await rig.researcher();
    const page = await person.open('/feeds/ply/new');
    await page.getByLabel('C2', { exact: true }).fill('hxxps://c2[.]delta[.]example/gate.php');
    await page.getByLabel('SHA-256 of the file').fill(HASH);
    const preview = page.getByRole('region', { name: 'What will be stored' });
    const stored = (await preview.count()) > 0 ? preview : page.locator('main');
    await stored.getByText('c2[.]delta[.]example:443').waitFor();
    await stored.getByText(/delta answers for this address/).waitFor();
    assert.deepEqual(
      (await person.client.listReports('ply', { host: 'c2.delta.example' })).reports,
      [],
    );
    await person.link('Report to delta instead').click();
    await person.heading('New report to delta').waitFor();
    await stored.getByText(/delta answers for this address/).waitFor();
    await person.button('+ lantern').click();
    await person.button('Report to delta').click();
    await person.heading('lantern at c2[.]delta[.]example:443').waitFor();
  });

  it('is deleted by its reporter after a question, and by nobody who may not', async () => {
    const person = await rig.researcher();
    const { id } = await person.client.createReport('ply', {
      c2Address: 'gone.ply.example:1',
      file256Hash: HASH,
    });
    const reader = await rig.person();
    await reader.open(`/feeds/ply/reports/${id}`);
    await reader.heading('gone[.]ply[.]example:1').waitFor();
    assert.equal(await reader.button('Delete').count(), 0);
    // A page that shows it learns by the stream that it changed.
    for (const { watch } of [reader, person]) watch.allow(404, /^\/feed\/ply\/reports\//);

    const page = await person.open(`/feeds/ply/reports/${id}`);
    await person.button('Delete').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal(
      (await person.client.listReports('ply', { host: 'gone.ply.example' })).reports.length,
      1,
    );
    await person.button('Delete').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${rig.url}/feeds/ply`);
    await person.sees('The report is deleted.');
    await page.getByText('gone[.]ply[.]example').first().waitFor({ state: 'detached' });
    await reader.heading('Not found').waitFor();
  });
});
