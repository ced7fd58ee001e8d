import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { accept, MailSink, refuseWith } from '../outgoing/mail-sink.ts';
import { eventually } from '../until.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const TO = 'abuse@ply.example.invalid';

describe('mail in the browser', { skip: whyNoBrowser }, () => {
  const sink = new MailSink({});
  const rig = openBrowserRig(async () => {
    await sink.listen();
    return { RAPSHEET_SMTP_URL: sink.url, RAPSHEET_MAIL_FROM: 'reports@feeds.example.invalid' };
  });
  after(() => sink.close());

  const arrived = (count: number) =>
    eventually(
      () => sink.mails,
      ({ length }) => length >= count,
    );

  it('is set by an administrator; the owner sees, tests and replays it', async () => {
    await rig.admin.addService({ slug: 'ply' });
    const owner = await rig.person({ roles: ['researcher'], services: ['ply'] });
    const page = await owner.open('/desk/ply?view=webhooks');
    await owner.heading('No mail').waitFor();

    const admin = await rig.person({ roles: ['admin'] });
    admin.watch.allow(400, /^\/admin\/services\/ply$/);
    await admin.open('/admin?section=services');
    await admin.button('Edit ply').click();
    const dialog = admin.dialog('Service ply');
    const address = dialog.getByLabel('Mail new reports to');
    await address.fill('abuse at ply');
    await dialog.getByLabel('Mail format').selectOption('arf');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Must be one mail address, such as abuse@ply.example.').waitFor();
    assert.equal(await address.getAttribute('aria-invalid'), 'true');
    await address.fill(TO);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await admin.sees('The service ply is saved.');

    await page.reload();
    const card = page.getByRole('article', { name: `Mail to ${TO}` });
    await card.getByText('ARF · one mail per report').waitFor();
    await card.getByRole('button', { name: 'Test' }).click();
    await owner.sees('A test mail is on its way.');
    await arrived(1);
    assert.equal(sink.mails[0]?.parsed.subject, 'Test mail for ply');

    sink.refusal = refuseWith(550);
    const report = { c2Address: 'evil.example:4444', file256Hash: sha256Of('a file') };
    await owner.client.createReport('ply', report);
    await card.getByText('Deliveries').click();
    const row = card.getByRole('row').filter({ hasText: 'report #' });
    await row.getByText(/^dead/).waitFor();
    await row.getByText('550 · The mail server refused this mail with 550.').waitFor();
    await page.reload();
    await card.getByText('every attempt fails').waitFor();

    sink.refusal = accept;
    await card.getByText('Deliveries').click();
    await card.getByRole('button', { name: 'dead', exact: true }).click();
    await row.getByRole('button', { name: 'Send again' }).click();
    await owner.sees('The delivery is sent again.');
    await arrived(2);
    await card.getByText(/^No deliveries/).waitFor();
    await card.getByRole('button', { name: 'delivered', exact: true }).click();
    await row.getByText(/^delivered/).waitFor();

    await admin.button('Edit ply').click();
    await address.fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await admin.sees('The service ply is saved.');
    await page.reload();
    await owner.heading('No mail').waitFor();
  });
});

describe('mail on a server without a mail server', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();

  it('is refused with what to set', async () => {
    await rig.admin.addService({ slug: 'ply' });
    const admin = await rig.person({ roles: ['admin'] });
    admin.watch.allow(409, /^\/admin\/services\/ply$/);
    await admin.open('/admin?section=services');
    await admin.button('Edit ply').click();
    const dialog = admin.dialog('Service ply');
    await dialog.getByLabel('Mail new reports to').fill(TO);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/RAPSHEET_SMTP_URL and RAPSHEET_MAIL_FROM are not set/).waitFor();
    await dialog.getByLabel('Mail new reports to').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await admin.sees('The service ply is saved.');
  });
});
