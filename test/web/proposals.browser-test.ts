import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const SAMPLE = fixture('analysis/families/asyncrat-plain.exe');
const OTHER = fixture('analysis/families/asyncrat-clone.exe');
const blobOf = (bytes: Buffer) => new Blob([Uint8Array.from(bytes)]);

describe('proposals', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.example.invalid', 'example.invalid'] });
  });

  it('stand under the upload, and are reported and dismissed there', async () => {
    const person = await rig.researcher();
    const page = await person.open('/upload');
    const chosen = { name: 'mine.exe', mimeType: '', buffer: SAMPLE };
    await page.getByLabel('Files to upload').setInputFiles(chosen);
    const list = page.getByRole('list', { name: 'Proposed reports' });
    const first = list.getByRole('listitem').first();
    await first.getByText('example[.]invalid').first().waitFor();
    for (const text of [
      '→ feed ply',
      'asyncrat, setting_install',
      'confidence 90 of 100',
      '✓confirmed',
    ])
      await first.getByText(text).waitFor();
    const { proposals } = await person.client.listProposals({ state: 'open' });
    const [proposal] = proposals;
    assert.equal(proposal?.fileName, 'mine.exe');
    await first.getByRole('button', { name: 'Report', exact: true }).click();
    await first.getByRole('link', { name: 'Reported' }).waitFor();
    const { reports } = await person.client.listReports('ply', { hash: proposal?.file256Hash });
    assert.equal(reports.length, 1);
    assert.equal(reports[0]?.confidenceScore, 90);
    await first.getByRole('link', { name: 'Reported' }).click();
    await page.waitForURL(`**/feeds/ply/reports/${reports[0]?.id}`);
  });

  it('are dismissed with a reason on the account page', async () => {
    const person = await rig.researcher();
    const { sha256Hash: hash } = await uploadAndWait(person.client, blobOf(OTHER), 'other.exe');
    const { proposals } = await person.client.listProposals({ hash });
    const page = await person.open('/account');
    const section = page.getByRole('region', { name: 'Proposed reports' });
    await section.getByRole('link', { name: 'other.exe' }).first().waitFor();
    assert.equal(await section.getByRole('listitem').count(), proposals.length);
    await section
      .getByRole('button', { name: /^Dismiss/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('it is not malicious').check();
    await dialog.getByLabel('Note to yourself').fill('a test');
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [dismissed] = (await person.client.listProposals({ hash, state: 'dismissed' })).proposals;
    assert.deepEqual([dismissed?.reason, dismissed?.note], ['not_malicious', 'a test']);
  });

  it('of a known file are made when it is sent', async () => {
    const [one, other] = [await rig.researcher(), await rig.researcher()];
    await uploadAndWait(one.client, blobOf(SAMPLE), 'first.exe');
    const page = await other.open('/upload');
    const chosen = { name: 'mine.exe', mimeType: '', buffer: SAMPLE };
    await page.getByLabel('Files to upload').setInputFiles(chosen);
    await page.getByText('known, not sent').waitFor();
    await other.button('Send it').click();
    const list = page.getByRole('list', { name: 'Proposed reports' });
    await list.getByRole('button', { name: 'Report', exact: true }).first().waitFor();
    const { proposals } = await other.client.listProposals();
    assert.ok(proposals.every(({ fileName }) => fileName === 'mine.exe'));
  });

  it('are on the page of the file, for who uploaded it', async () => {
    const [one, other] = [await rig.researcher(), await rig.researcher()];
    const { sha256Hash: hash } = await uploadAndWait(one.client, blobOf(SAMPLE), 'mine.exe');
    const page = await one.open(`/files/${hash}`);
    const section = page.getByRole('region', { name: 'Proposed reports' });
    await section.getByRole('button', { name: 'Report', exact: true }).first().waitFor();
    const theirs = await other.open(`/files/${hash}`);
    await other.heading('It talks to').waitFor();
    assert.equal(await theirs.getByRole('region', { name: 'Proposed reports' }).count(), 0);
  });
});
