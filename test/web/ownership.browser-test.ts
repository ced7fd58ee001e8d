import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { DnsServer } from '../outgoing/dns-server.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

describe('proofs of ownership in the browser', { skip: whyNoBrowser }, () => {
  const names = new DnsServer();
  const rig = openBrowserRig(async () => {
    await names.listen();
    return { RAPSHEET_DNS_RESOLVER: names.address };
  });
  after(() => names.close());

  it('are made by an owner at the desk, and seen by an administrator', async () => {
    await rig.admin.addService({
      slug: 'ply',
      hosts: ['*.ply.example', 'gone.example'],
      networks: ['192.0.2.0/24'],
    });
    const owner = await rig.person({ services: ['ply'] });
    const page = await owner.open('/desk/ply');
    await owner.link('hosts').click();
    const card = page.getByRole('article', { name: '*.ply.example' });
    await card.getByText('declared').waitFor();
    await page.getByText('A network cannot be proven this way: it stays declared.').waitFor();
    const record = card.getByRole('region', { name: 'By a TXT record' });
    await record.getByText('_rapsheet.ply.example').waitFor();
    const challenge = (await record.getByText(/^rapsheet-verification=/).textContent()) ?? '';
    assert.equal(challenge, (await owner.client.showOwnership('ply')).challenge);
    await record.getByRole('button', { name: 'Copy text' }).waitFor();

    names.txt('_rapsheet.ply.example', challenge);
    await record.getByRole('button', { name: 'Check the record now' }).click();
    await owner.sees('*.ply.example is verified.');
    await card.getByText('verified by its TXT record').waitFor();

    const gone = page.getByRole('article', { name: 'gone.example' });
    await gone.getByRole('button', { name: 'Check the record now' }).click();
    await gone.getByText('_rapsheet.gone.example has no TXT record with the challenge.').waitFor();

    const admin = await rig.person({ roles: ['admin'] });
    await admin.open('/admin?section=services');
    const button = admin.button(/of \d+ hosts of ply proven/);
    assert.equal(await button.textContent(), '1 of 2');
    await button.click();
    const dialog = admin.dialog('Hosts of ply');
    await dialog.getByText('verified by its TXT record').waitFor();
    admin.watch.allow(429, /^\/feed\/ply\/ownership\/check$/);
    await dialog
      .getByRole('article', { name: 'gone.example' })
      .getByRole('button', { name: 'Check the record now' })
      .click();
    await admin.sees(/This host was checked a moment ago|no TXT record with the challenge/);
    await dialog.getByRole('button', { name: 'Close' }).click();
  });
});
