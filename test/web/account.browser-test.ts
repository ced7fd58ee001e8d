import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { RapsheetError } from '../../src/client/error.ts';
import { sha256Of } from '../builders.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

const HASH = sha256Of('lantern');

describe('an account', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(async () => {
    await rig.admin.addService({ slug: 'ply', name: 'Ply Tunnels', hosts: ['evil.example'] });
    await rig.importAnalysis('lantern');
  });

  it('issues a token that is shown once, and revokes it', async () => {
    const person = await rig.person();
    const page = await person.open('/account');
    await person.button('New token').click();
    const dialog = person.dialog('New token');
    await dialog.getByLabel('Label').fill('nightly import');
    await dialog.getByLabel('Expires').selectOption('in 30 days');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const shown = person.dialog('Your new token');
    const token = (await shown.locator('code').textContent()) ?? '';
    await shown.getByRole('button', { name: 'Done' }).click();
    const client = rig.clientOf(token);
    assert.equal((await client.me()).name, person.name);
    const row = page.getByRole('row').filter({ hasText: 'nightly import' });
    await row.waitFor();
    assert.equal((await page.content()).includes(token), false);
    const [issued] = (await person.client.listTokens()).tokens.filter(
      ({ label }) => label === 'nightly import',
    );
    const days = (Date.parse(issued?.expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 29 && days <= 30, String(issued?.expiresAt));

    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await client.me()).name, person.name);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await person.confirm('Revoke');
    await row.getByText('revoked').waitFor();
    await assert.rejects(client.me(), (error: RapsheetError) => error.status === 401);
  });

  it('says that the server failed, and does not ask it without end', async () => {
    const person = await rig.person({ roles: ['researcher'] });
    let asked = 0;
    await person.context.route(/\/api\/usage/, (route) => {
      asked += 1;
      return route.fulfill({
        status: 500,
        json: { error: 'The disk is full.', successful: false },
      });
    });
    person.watch.allow(500, /^\/api\/usage$/);
    await person.open('/account');
    await person.heading('The server failed').waitFor();
    // What did not fail is there, and stays.
    await person.button('New token').click();
    const dialog = person.dialog('New token');
    await dialog.getByLabel('Label').fill('nightly import');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.ok(asked <= 2, `${asked} requests`);
  });

  it('keeps the theme that it chose, in all tabs', async () => {
    const person = await rig.person();
    const page = await person.open('/');
    const theme = () => page.locator('html').getAttribute('data-theme');
    const inkOf = () => page.evaluate('getComputedStyle(document.body).color');
    assert.equal(await theme(), 'light');
    const light = await inkOf();
    const other = await person.context.newPage();
    await other.goto(`${rig.url}/feeds`);
    await person.button(`Account ${person.name}`).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await other.locator('html[data-theme=dark]').waitFor();
    assert.notEqual(await inkOf(), light);
    await page.reload();
    assert.equal(await theme(), 'dark');
  });

  it('returns to a deep link after signing in', async () => {
    const person = await rig.stranger({ roles: ['researcher'] });
    const path = `/feeds/ply/new?c2=evil.example%3A1&hash=${HASH}`;
    const page = await person.open(path);
    await person.heading('Sign in').waitFor();
    await page.getByLabel('Token').fill(person.token);
    await page.keyboard.press('Enter');
    await person.heading('New report to ply').waitFor();
    assert.equal(await page.getByLabel('SHA-256 of the file').inputValue(), HASH);
    assert.equal(await page.getByLabel('C2', { exact: true }).inputValue(), 'evil.example:1');
  });

  it('finds pages by the suggestions of the search, by keyboard alone', async () => {
    const person = await rig.person();
    const page = await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ply');
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    await list.getByRole('option', { name: 'Ply Tunnels' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await list.getByRole('option', { name: 'Ply Tunnels', selected: true }).waitFor();
    const field = page.getByRole('combobox', { name: 'Search' });
    const active = (await field.getAttribute('aria-activedescendant')) ?? '';
    assert.match(String(await page.locator(`[id="${active}"]`).textContent()), /Ply Tunnels/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${rig.url}/feeds/ply`);

    await page.keyboard.press('/');
    await page.keyboard.type('lantern');
    const file = list.getByRole('group', { name: /file/i }).getByRole('option');
    await file.filter({ hasText: 'lantern.exe' }).waitFor();
    // The first Escape closes the list, the second leaves the field; neither loses the text.
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    assert.equal(await field.inputValue(), 'lantern');
    await page.keyboard.press('ArrowUp');
    await list.waitFor();
    await page.keyboard.press('ArrowUp');
    await list.getByRole('option', { name: /^All results/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await person.heading(/^Search for .*lantern/).waitFor();
    assert.equal(await person.unitsLeft(), (await person.client.me()).quota.limit);
  });

  it('prints the page of a file on one sheet, without the controls', async () => {
    const person = await rig.person();
    const page = await person.open(`/files/${HASH}`);
    await person.heading('lantern.exe').waitFor();
    const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g);
    assert.equal(sheets?.length, 1);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await person.heading('lantern.exe').isVisible(), true);
    assert.equal(await page.getByText(HASH.slice(-8)).first().isVisible(), true);
    for (const hidden of [
      person.link('Feeds'),
      person.button('More'),
      page.getByRole('combobox', { name: 'Search' }),
    ])
      assert.equal(await hidden.isVisible(), false, String(hidden));
  });
});
