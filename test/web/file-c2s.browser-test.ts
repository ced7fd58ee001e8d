import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { eventually } from '../until.ts';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';
import { isQuiet } from './rig/quiet.ts';

const blob = (bytes: Uint8Array) => new Blob([Uint8Array.from(bytes)]);
const SAMPLE = fixture('analysis/families/asyncrat-clone.exe');
const NAMED = 'clone.example.invalid';
const DIRECTORY = join(import.meta.dirname, '../fixtures/directory');

describe('the addresses of a file', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig(async () => ({ RAPSHEET_DIRECTORY: DIRECTORY }));
  before(async () => {
    await rig.admin.addService({ slug: 'ply', hosts: [NAMED] });
  });

  const c2s = (person: Person) =>
    person.page.getByRole('region', { name: 'It talks to' }).getByRole('listitem');

  it('say what is reported, and all others are reported with one button', async () => {
    const person = await rig.researcher({ bypassCSP: true });
    const desk = await rig.person({ services: ['ply'] });
    const { sha256Hash } = await uploadAndWait(person.client, blob(SAMPLE), 'clone.exe');
    const { proposals } = await person.client.listProposals({ hash: sha256Hash });
    const addresses = proposals.map(({ c2Address }) => c2Address).toSorted();
    const [open = '', acted = ''] = addresses;
    await person.client.createReport('ply', { c2Address: open, file256Hash: sha256Hash });
    const other = await rig.researcher();
    const { id } = await other.client.createReport('ply', {
      c2Address: acted,
      file256Hash: 'c'.repeat(64),
    });
    await desk.client.setStatus('ply', id, { status: 'actioned', reason: 'taken_down' });

    await person.open(`/files/${sha256Hash}`);
    const rowOf = (c2: string) => c2s(person).filter({ hasText: c2.split(':')[1] ?? '' });
    const day = new Date().toISOString().slice(0, 10);
    await rowOf(open).getByText(`open in ply since ${day}`).waitFor();
    assert.equal(
      await rowOf(open)
        .getByRole('link', { name: /^Report/ })
        .count(),
      0,
    );
    await rowOf(acted).getByRole('link', { name: 'taken down in ply' }).waitFor();
    await rowOf(acted)
      .getByRole('link', { name: /^Report / })
      .waitFor();
    await isQuiet(person.page);
    assert.deepEqual(await violationsOf(person.page), []);

    // Only one is left: its own button does.
    assert.equal(addresses.length, 3);
    assert.equal(await person.button(/^Report all/).count(), 0);
  });

  it('are reported together by somebody who did not upload the file', async () => {
    const [uploader, person] = [await rig.researcher(), await rig.researcher()];
    const bytes = fixture('analysis/families/asyncrat-plain.exe');
    const { sha256Hash } = await uploadAndWait(uploader.client, blob(bytes), 'plain.exe');
    await rig.admin.addService({ slug: 'cask', hosts: ['async.example.invalid'] });
    await person.context.clock.install();
    await person.open(`/files/${sha256Hash}`);
    await person.button(/^Report all \d that are not reported$/).click();
    await person.page.getByRole('alertdialog').getByRole('button', { name: /^Send/ }).click();
    await person.button('Undo reporting all').waitFor();
    await person.context.clock.fastForward(10_500);
    await person.sees(/reports created\./);
    const { reports } = await eventually(
      () => person.client.listReports('cask', { reporter: person.name }),
      (list) => list.reports.length > 1,
      20_000,
    );
    assert.deepEqual(new Set(reports.map(({ name }) => name)), new Set(['ASYNCRAT']));
    await c2s(person).first().getByText('open in cask').waitFor();
    assert.equal(await person.button(/^Report all/).count(), 0);
  });

  it('name who answers for one that no feed has', async () => {
    const person = await rig.researcher({ bypassCSP: true });
    const bytes = fixture('analysis/families/redline-nameless.exe');
    const { sha256Hash } = await uploadAndWait(person.client, blob(bytes), 'redline.exe');
    await person.open(`/files/${sha256Hash}`);
    const rowOf = (c2: string) => c2s(person).filter({ hasText: c2 });
    await rowOf('203[.]0[.]113[.]9').getByText('Hosting Ltd. answers').waitFor();
    await rowOf('one[.]example').getByText('no service has declared it').waitFor();
    await isQuiet(person.page);
    assert.equal(
      await c2s(person)
        .getByText(/answers$/)
        .count(),
      1,
    );
    assert.deepEqual(await violationsOf(person.page), []);
  });

  it('in its bytes lead to their pages, are copied, and are reported with the file', async () => {
    const person = await rig.researcher();
    const script = `var a = "http://gate.${NAMED}/in.php"; var b = "http://other.example/x";`;
    await rig.admin.addService({ slug: 'gates', hosts: [`gate.${NAMED}`] });
    const { sha256Hash } = await uploadAndWait(person.client, new Blob([script]), 'dropper.js');
    const page = await person.open(`/files/${sha256Hash}?tab=evidence`);
    const row = page.getByRole('row').filter({ hasText: 'hxxp://gate[.]clone' });
    await row.getByRole('button', { name: /^Copy hxxp/ }).click();
    await page.getByRole('menuitem', { name: /^Copy hxxp/ }).waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('link').click();
    await person.heading(/^gate\[\.\]clone.*:80/).waitFor();
    await page.goBack();
    const unclaimed = page.getByRole('row').filter({ hasText: 'hxxp://other[.]example' });
    await unclaimed.getByRole('button', { name: /^Report/ }).click();
    await person.heading('New report to unclaimed').waitFor();
    await page.goBack();
    await row.getByRole('button', { name: /^Report/ }).click();
    await person.heading('New report to gates').waitFor();
    assert.equal(await page.getByLabel(/^C2/).inputValue(), `gate.${NAMED}:80`);
    assert.equal(await page.getByLabel('SHA-256 of the file').inputValue(), sha256Hash);
  });
});
