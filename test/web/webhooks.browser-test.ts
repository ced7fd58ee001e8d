import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { sha256Of } from '../builders.ts';
import { answerWith, openReceiver, type Received } from '../outgoing/receiver.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

describe('the webhooks of a desk', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig(async () => ({
    RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
    RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  }));

  const isSigned = ({ body, headers }: Received, secret: string) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  it('are added, tested, replayed, get a new secret and are deleted', async (test) => {
    const receiver = await openReceiver(test);
    await rig.admin.addService({ slug: 'ply' });
    const owner = await rig.person({ roles: ['researcher'], services: ['ply'] });
    const page = await owner.open('/desk/ply?view=webhooks');
    owner.watch.allow(400, /^\/feed\/ply\/webhooks$/);
    await owner.heading('No webhook yet').waitFor();

    await owner.button('Add a webhook').click();
    const adding = owner.dialog('Add a webhook');
    await adding.getByLabel('URL').fill('http://10.1.2.3/');
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    await adding.getByRole('alert').waitFor();
    await adding.getByLabel('URL').fill(receiver.url());
    await adding.getByLabel('Reports are deleted').uncheck();
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
    const shown = owner.dialog('The signing secret');
    const secret = (await shown.locator('code').textContent()) ?? '';
    await shown.getByRole('button', { name: 'Done' }).click();
    const card = page.getByRole('article', { name: `Webhook ${receiver.url()}` });
    await card.getByText('created, updated').waitFor();
    await page.reload();
    await card.getByText('active').waitFor();
    assert.equal((await page.content()).includes(secret), false, 'the secret is shown once');

    await card.getByRole('button', { name: 'Test' }).click();
    await owner.sees('A test event is on its way.');
    await receiver.until(1);
    for (const received of receiver.received) isSigned(received, secret);

    receiver.answer = answerWith(503);
    const report = { c2Address: 'evil.example:4444', file256Hash: sha256Of('a file') };
    const { id } = await owner.client.createReport('ply', report);
    await receiver.until(2);
    await card.getByText('Deliveries').click();
    const row = card.getByRole('row').filter({ hasText: 'report.created' });
    await row.getByText(/^waiting/).waitFor();
    await row.getByText(/503/).waitFor();
    receiver.answer = answerWith(204);
    await row.getByRole('button', { name: 'Send again' }).click();
    await owner.sees('The delivery is sent again.');
    await receiver.until(3);
    await card.getByRole('button', { name: 'delivered' }).click();
    await row.getByText(/^delivered/).waitFor();
    assert.ok(receiver.received[2]?.body.includes(id));
    await card.getByRole('button', { name: 'dead' }).click();
    await card.getByText(/^No deliveries/).waitFor();

    await owner.choose('More', /^New secret/);
    await owner.confirm('Create');
    const rotated = owner.dialog('The new secret');
    const next = (await rotated.locator('code').textContent()) ?? '';
    await rotated.getByRole('button', { name: 'Done' }).click();
    assert.notEqual(next, secret);
    const before = receiver.received.length;
    await card.getByRole('button', { name: 'Test' }).click();
    await receiver.until(before + 1);
    // Signed with both for a day.
    for (const one of [secret, next]) isSigned(receiver.received[before] as Received, one);

    await owner.choose('More', /^Delete/);
    await owner.confirm('Delete');
    await owner.heading('No webhook yet').waitFor();
    assert.deepEqual((await owner.client.listWebhooks('ply')).webhooks, []);
  });
});
