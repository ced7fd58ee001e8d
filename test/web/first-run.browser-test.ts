import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

describe('an empty installation', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();

  it('leads its administrator in three steps to the first report', async () => {
    const admin = await rig.person({ name: 'operator', roles: ['admin'] });
    await admin.open('/');
    await admin.heading('Three steps to the first report').waitFor();
    await admin.heading('1. Make a service (to do)').waitFor();
    assert.equal(await admin.button('Send a report').isDisabled(), true);

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

    await admin.button('Send a report').click();
    const report = admin.dialog('Send a first report');
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
    // The service is on the desk of who made it.
    await admin.link(/^Desk/).click();
    await admin.page.getByRole('listitem').filter({ hasText: 'a[.]ply[.]example' }).waitFor();
  });
});
