import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

describe('details of the pages', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', confidenceScale: 10 });
  });

  it('keep a secret that is shown once when Escape is pressed', async () => {
    const person = await rig.person();
    const page = await person.open('/account');
    await person.button('New token').click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Label').fill('nightly');
    await form.getByRole('button', { name: 'Create' }).click();
    const secret = page.getByRole('dialog').getByText(/^rap_/);
    await secret.waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await secret.isVisible(), true);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await secret.waitFor({ state: 'detached' });
  });

  it('leave the focus in a form that was refused', async () => {
    const person = await rig.person({ roles: ['admin'] });
    person.watch.allow(400, /^\/admin\/accounts$/);
    const page = await person.open('/admin?section=accounts');
    await person.button('New account').click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('refused');
    await form.getByLabel('Units', { exact: true }).fill('many');
    const send = form.locator('button[type=submit]');
    await send.focus();
    await page.keyboard.press('Enter');
    await form.getByRole('alert').first().waitFor();
    const isInside = `document.querySelector('[role=dialog]').contains(document.activeElement)`;
    assert.equal(await page.evaluate<boolean>(isInside), true);
  });

  it('show a confidence with the scale of its feed', async () => {
    const person = await rig.researcher();
    await person.client.createReport('ply', {
      c2Address: 'evil.example:1',
      file256Hash: sha256Of('x'),
      confidenceScore: 7,
    });
    const page = await person.open('/feeds/ply');
    await page.getByText('7 of 10', { exact: true }).first().waitFor();
  });

  it('count and find the spellings of a name as one', async () => {
    const person = await rig.researcher();
    await rig.admin.addService({ slug: 'spelled' });
    for (const [index, tag] of ['XWORM', 'xworm', 'XWORM', 'remcos'].entries())
      await person.client.createReport('spelled', {
        c2Address: `evil-${index}.example:1`,
        file256Hash: sha256Of('x'),
        tags: [tag, 'rat'],
      });
    const page = await person.open('/feeds/spelled');
    const names = page.getByRole('list', { name: /^Reports by name/ });
    await names.getByText('XWORM').waitFor();
    assert.match((await names.textContent()) ?? '', /^XWORM3.*remcos1$/);
    await names.getByRole('button', { name: /XWORM/ }).click();
    await page.waitForURL(/name=XWORM/);
    await page.getByText('evil-3[.]example').first().waitFor({ state: 'detached' });
    for (const index of [0, 1, 2])
      await page.getByText(`evil-${index}[.]example`).first().waitFor();
  });

  it('notice that the network is gone, and that it is back', async () => {
    const person = await rig.person();
    person.watch.mayLoseServer = true;
    await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    await person.context.setOffline(true);
    await person.sees(/^No connection to the server since/);
    await person.context.setOffline(false);
    await person.page.getByText(/^No connection/).waitFor({ state: 'detached' });
  });
});
