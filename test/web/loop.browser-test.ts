import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { dropFile } from './rig/drop-file.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const SAMPLE = fixture('analysis/families/xworm-plain.exe');
const C2 = 'worm.example.invalid:7000';
const SHOWN_C2 = 'worm[.]example[.]invalid:7000';

describe('the loop', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: ['*.example.invalid'] });
    await rig.admin.addService({ slug: 'cask', hosts: ['*.cask.example'] });
  });

  /** Axe is injected as a script, which the policy of the server forbids. */
  const people = async () => ({
    researcher: await rig.researcher({ bypassCSP: true }),
    desk: await rig.stranger({ services: ['ply'], bypassCSP: true }),
  });

  async function isAccessible({ page }: Person): Promise<void> {
    await isQuiet(page);
    assert.deepEqual(await violationsOf(page), [], page.url());
  }

  it('leads from a dropped file to the precision of its reporter', async () => {
    const { researcher, desk } = await people();
    const page = await researcher.open('/upload');
    await dropFile(page, page.getByText(/Drop files/), 'XClient.exe', SAMPLE);
    const proposal = page.getByRole('list', { name: 'Proposed reports' }).getByRole('listitem');
    await proposal.getByText('✓confirmed').waitFor();
    await isAccessible(researcher);
    await proposal.getByRole('button', { name: 'Report', exact: true }).click();
    await proposal.getByRole('link', { name: 'Reported' }).click();
    await researcher.heading(`at ${SHOWN_C2}`).waitFor();
    await researcher.sees('answers for this C2');
    await isAccessible(researcher);
    await researcher.open(`/reporters/${researcher.name}`);
    await researcher.sees('not judged yet');

    const theirs = await desk.open('/sign-in');
    await desk.signInWith(desk.token);
    await theirs.waitForURL((url) => url.pathname === '/');
    await desk.open('/desk/ply');
    const row = theirs.getByRole('list', { name: 'Reports' }).getByRole('listitem');
    await row.getByText('confirmed').waitFor();
    await isAccessible(desk);
    await desk.button(/Taken down/).click();
    // Leaving the desk sends what could be undone.
    await desk.link('Feeds').click();
    await desk.heading('Feeds').waitFor();

    await researcher.open('/account');
    await page.getByRole('row').filter({ hasText: SHOWN_C2 }).getByText('actioned').waitFor();
    await researcher.link('Your precision').click();
    await page
      .getByText(/^100 % \(21 % to 100 %\), 1 of 1$/)
      .first()
      .waitFor();
    await isAccessible(researcher);
  });

  it('shows on the scorecard that a C2 is back after a takedown', async () => {
    const { researcher, desk } = await people();
    const { client } = researcher;
    const bytes = Buffer.concat([SAMPLE, Buffer.from('another build')]);
    const file = new Blob([Uint8Array.from(bytes)]);
    const { sha256Hash: hash } = await uploadAndWait(client, file, 'XClient.exe');
    const first = await client.createReport('ply', { c2Address: C2, file256Hash: hash });
    const taken = { status: 'actioned', reason: 'taken_down' } as const;
    await desk.client.setStatus('ply', first.id, taken);
    const page = await researcher.open(`/files/${hash}`);
    const section = page.getByRole('region', { name: 'Proposed reports' });
    await section.waitFor();
    await client.createReport('ply', { c2Address: C2, file256Hash: hash });
    const { recurrences } = await client.serviceStatistics('ply');
    assert.ok(recurrences.total > 0);
    await researcher.open('/feeds/ply/scorecard');
    await researcher.heading('Recurrences after a takedown').waitFor();
    await researcher.sees(`${recurrences.total} in total`);
    await isAccessible(researcher);
  });

  it('marks contradicted and misrouted reports in lists, and filters by both', async () => {
    const { researcher, desk } = await people();
    const { client } = researcher;
    const file = new Blob([Uint8Array.from(SAMPLE)]);
    const { sha256Hash: file256Hash } = await uploadAndWait(client, file, 'XClient.exe');
    const wrong = { c2Address: 'innocent.example.invalid:1', file256Hash };
    const { id } = await client.createReport('ply', wrong);
    await client.createReport('cask', { c2Address: C2, file256Hash });

    const page = await researcher.open('/feeds/ply?confirmation=contradicted');
    const rows = page.getByRole('grid', { name: 'Reports' }).getByRole('row');
    await rows.filter({ hasText: 'contradicted' }).waitFor();
    assert.equal(await rows.count(), 2, 'the head and the report');
    await researcher.button('Remove the filter Confirmation contradicted').waitFor();
    await researcher.open(`/feeds/ply/reports/${id}`);
    await researcher.sees('The settings of the file name other addresses, not this C2.');
    await researcher.open('/feeds/cask?misrouted=true');
    await rows.filter({ hasText: '→ ply' }).click();
    await researcher.sees('misrouted:');
    await isAccessible(researcher);

    const theirs = await desk.open('/sign-in');
    await desk.signInWith(desk.token);
    await theirs.waitForURL((url) => url.pathname === '/');
    await desk.open('/desk/ply');
    await theirs.getByLabel('Confirmation to filter by').selectOption('contradicted');
    const listed = theirs.getByRole('list', { name: 'Reports' }).getByRole('listitem');
    await theirs.waitForURL(/confirmation=contradicted/);
    // The reports of the other filter may stay until the new ones have come.
    await listed.nth(1).waitFor({ state: 'detached' });
    await listed.filter({ hasText: 'innocent[.]example' }).waitFor();
    await desk.button(/Acknowledge/).click();
    await desk.button('Show all open reports').click();
    await theirs.waitForURL((url) => !url.search.includes('confirmation'));
  });
});
