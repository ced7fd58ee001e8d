import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { isQuiet } from './rig/quiet.ts';

const HOST = 'async.example.invalid';
const C2 = `${HOST}:6606`;
const UNCONFIRMED = 'other.example.invalid:1';

describe('the page of an address', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
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
