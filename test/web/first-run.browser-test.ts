import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import { dropFile } from './rig/drop-file.ts';

describe('an empty installation', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();

  it('leads its administrator in three steps to the first report', async () => {
    const admin = await rig.person({ name: 'operator', roles: ['admin'] });
    await admin.open('/');
    await admin.heading('Three steps to the first report').waitFor();
    await admin.heading('1. Make a service (to do)').waitFor();
    // There is a feed already: that of addresses that no service has declared.
    assert.equal(await admin.button('Send a report').isDisabled(), false);

    await admin.button('Make a service').click();
    const service = admin.dialog('Make a service');
    await service.getByLabel('Name', { exact: true }).fill('Ply Tunnels');
    assert.equal(await service.getByLabel('Short name').inputValue(), 'ply-tunnels');
    await service.getByLabel(/^Hosts/).fill('*.ply[.]example');
    await service.getByRole('button', { name: 'Make the service' }).click();
    await admin.heading('1. Make a service (done)').waitFor();

    await admin.button('Invite a researcher').click();
    const invitation = admin.dialog('Invite a researcher');
    await invitation.getByLabel('Name of the account').fill('alice');
    await invitation.getByRole('button', { name: 'Make the invitation' }).click();
    const made = admin.dialog('Invitation for alice');
    const link = (await made.locator('code').textContent()) ?? '';
    await made.getByRole('button', { name: 'Done' }).click();
    await admin.heading('2. Invite a researcher (done)').waitFor();

    // The researcher, in another browser, waits for what comes.
    const alice = await rig.stranger();
    await alice.open(link);
    await alice.button('Sign in').click();
    await alice.button('Account alice').waitFor();
    await alice.heading('No reports yet').waitFor();
    await alice.sees('Drop files or folders here');
    assert.equal(await alice.button('Choose files').count(), 1);

    await admin.button('Send a report').click();
    const report = admin.dialog('Send a first report');
    await report.getByLabel('C2 address').fill('nothing');
    await report.getByLabel('SHA-256 of the file').fill(sha256Of('a file'));
    admin.watch.allow(400, /^\/feed\/ply-tunnels\/api$/);
    await report.getByRole('button', { name: 'Send the report' }).click();
    await report.getByRole('alert').waitFor();
    const c2 = report.getByLabel('C2 address');
    assert.equal(await c2.getAttribute('aria-invalid'), 'true');
    await report.getByLabel('C2 address').fill('a[.]ply[.]example:4444');
    await report.getByLabel('SHA-256 of the file').fill(sha256Of('a file'));
    await report.getByRole('button', { name: 'Send the report' }).click();
    for (const person of [admin, alice]) {
      await person.heading('Newest reports').waitFor();
      await person.sees('a[.]ply[.]example:4444');
      const figures = person.page.getByLabel('Figures over all feeds');
      await figures.getByText('1 in 30 days').waitFor();
    }
    assert.equal(await admin.heading('Three steps').count(), 0);
    // The service is on the desk of who made it, beside the built-in one.
    await admin.link(/^Desk/).click();
    await admin.link('Ply Tunnels').click();
    await admin.page.getByRole('listitem').filter({ hasText: 'a[.]ply[.]example' }).waitFor();
  });
});

describe('an installation without a report', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();

  it('takes the first file of a researcher, and keeps the list of files', async () => {
    const person = await rig.researcher();
    const page = await person.open('/');
    await page.setViewportSize({ width: 360, height: 740 });
    const zone = page.getByText('Drop files or folders here');
    await dropFile(page, zone, 'first.txt', Buffer.from('nothing but text'));
    await person.heading('1 of 1 file done').waitFor();
    assert.equal(new URL(page.url()).pathname, '/upload');

    await page.reload();
    const earlier = page.getByRole('list', { name: 'Your earlier files' });
    await earlier.getByText('first.txt').waitFor();
    assert.equal(await page.getByText('1 of 1 file done').count(), 0);
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 360);
    await earlier.getByRole('link', { name: 'Open' }).click();
    await person.heading('first.txt').waitFor();

    // Nobody else at this browser sees it.
    await person.choose(`Account ${person.name}`, 'Sign out');
    await person.heading('Sign in').waitFor();
    await person.signInWith(person.token);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await person.open('/upload');
    await person.heading('Upload').waitFor();
    await page.getByText('Read the result').waitFor();
    assert.equal(await earlier.count(), 0);
  });

  it('offers the file of the demo to those who have none', async () => {
    await rig.admin.addService({ slug: 'ply' });
    const admin = await rig.person({ roles: ['admin'] });
    const page = await admin.open('/');
    await page.setViewportSize({ width: 360, height: 740 });
    await admin.button('Send a report').click();
    const dialog = admin.dialog('Send a first report');
    await dialog.getByRole('button', { name: 'Use the file of the demo' }).click();
    await dialog.getByText('This is the file of the demo').waitFor();
    await dialog.getByRole('button', { name: 'Send the report' }).click();
    await admin.heading('Newest reports').waitFor();
    const { reports } = await admin.client.listReports('ply');
    const [report] = reports;
    assert.equal(report?.c2Address, '198.51.100.77:8080');
    const { status } = await admin.client.sampleStatus(report?.file256Hash ?? '');
    assert.notEqual(status, 'unknown');
  });
});
