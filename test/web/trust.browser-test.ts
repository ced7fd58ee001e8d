import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const HASH = sha256Of('lantern');

describe('trust', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', name: 'Ply Tunnels' });
  });

  it('moves the precision of a reporter and the scorecard of the service', async () => {
    const person = await rig.person({ roles: ['researcher'] });
    // Others judge: an owner of the feed would have no precision in it.
    const desk = await rig.person({ services: ['ply'] });
    const { client, name } = person;
    const report = (c2Address: string) =>
      client.createReport('ply', { c2Address, file256Hash: HASH, tags: ['rat'] });
    const first = await report('a.example:1');
    const page = await person.open(`/feeds/ply/reports/${first.id}`);
    await page.getByRole('link', { name, exact: true }).click();
    await person.heading(`Reporter ${name}`).waitFor();
    const precision = page.getByRole('list', { name: 'Precision with its interval' });
    await precision.getByText('not judged yet').first().waitFor();

    await desk.client.setStatus('ply', first.id, { status: 'actioned', reason: 'taken_down' });
    await report('a.example:1');
    await page.reload();
    await precision.getByText('100 % (21 % to 100 %), 1 of 1').first().waitFor();
    const outcomes = page.getByRole('list', { name: 'Reports by outcome' });
    assert.match((await outcomes.textContent()) ?? '', /actioned1○open1/);

    await person.open('/feeds/ply');
    await page.getByRole('link', { name: 'Scorecard' }).click();
    await person.heading('Scorecard of ply').waitFor();
    const recurrences = page.getByRole('region', { name: 'Recurrences after a takedown' });
    await recurrences.getByText('1 in total').waitFor();
    const acted = page.getByRole('region', { name: 'Time to act' });
    await acted.getByText('about 8 min').waitFor();
    await page.getByRole('region', { name: 'Backlog' }).getByRole('link').first().click();
    await page.waitForURL(/\/feeds\/ply\?status=open$/);

    await person.open('/account');
    await page.getByRole('link', { name: 'Your precision' }).click();
    await person.heading(`Reporter ${name}`).waitFor();
  });

  it('says that nobody has the name', async () => {
    const person = await rig.person();
    person.watch.allow(404, /^\/api\/statistics\/reporters\//);
    const page = await person.open('/reporters/nobody');
    await page.getByText('There is no reporter with this name').waitFor();
  });
});
