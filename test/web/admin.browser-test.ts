import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { uploadAndWait } from '../e2e/server-setup.ts';
import { eventually } from '../until.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';
import type { Person } from './rig/person.ts';

const SECRET = randomBytes(32).toString('base64');

describe('the administration', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig(async () => ({ RAPSHEET_SECRET_KEY: SECRET }));

  async function operator(section: string): Promise<Person> {
    const person = await rig.person({ roles: ['admin'] });
    await person.open(`/admin?section=${section}`);
    return person;
  }

  async function secretsIn(dialog: Locator): Promise<readonly string[]> {
    await dialog.locator('code').first().waitFor();
    return dialog.locator('code').allTextContents();
  }

  /** The labels of the fields that are marked. */
  async function invalidIn(dialog: Locator): Promise<readonly string[]> {
    return dialog.locator('[aria-invalid=true]').evaluateAll((fields) =>
      // Without the types of a browser.
      (fields as unknown as { labels: { textContent: string }[] }[]).map(
        ({ labels }) => labels[0]?.textContent ?? '',
      ),
    );
  }

  it('makes a service, says what is wrong with it, and changes it', async () => {
    const owner = await rig.person();
    const admin = await operator('services');
    const { page } = admin;
    admin.watch.allow(400, /^\/admin\/services$/);
    await admin.button('New service').first().click();
    const dialog = admin.dialog('New service');
    await dialog.getByLabel('Short name').fill('Not Valid');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByLabel('Short name').getAttribute('aria-invalid'), 'true');
    await dialog.getByLabel('Short name').fill('delta');
    await dialog.getByLabel('Host patterns').fill('*.delta.example\ndelta.example');
    await dialog.getByLabel('Owners').fill(owner.name);
    await dialog.getByRole('button', { name: 'Add owner' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row').filter({ hasText: 'delta' }).getByText(owner.name).waitFor();

    await admin.button('Edit delta').click();
    const edited = admin.dialog('Service delta');
    await edited.getByLabel('Name', { exact: true }).fill('Delta Hosting');
    await edited.getByRole('button', { name: `Remove the owner ${owner.name}` }).click();
    await edited.getByRole('button', { name: 'Save' }).click();
    await admin.sees('The service delta is saved.');
    const row = page.getByRole('row').filter({ hasText: 'Delta Hosting' });
    await row.getByText('nobody').waitFor();
    await row.getByText('*.delta.example').waitFor();
    assert.deepEqual((await owner.client.me()).services, []);
  });

  it('marks the field that is wrong, in words for people', async () => {
    const admin = await operator('services');
    admin.watch.allow(400, /^\/admin\/(?:services|accounts)$/);
    await admin.page.setViewportSize({ width: 360, height: 740 });
    await admin.button('New service').first().click();
    const service = admin.dialog('New service');
    await service.getByLabel('Short name').fill('fine');
    await service.getByLabel('Host patterns').fill('no host');
    await service.getByRole('button', { name: 'Create' }).click();
    await service.getByText(/^Each line must be a host name/).waitFor();
    assert.deepEqual(await invalidIn(service), ['Host patterns']);
    await service.getByRole('button', { name: 'Cancel' }).click();

    await admin.open('/admin?section=accounts');
    await admin.button('New account').click();
    const account = admin.dialog('New account');
    await account.getByLabel('Name', { exact: true }).fill('fine');
    await account.getByLabel('Units', { exact: true }).fill('many');
    await account.getByLabel('Reports a minute').fill('10');
    await account.getByRole('button', { name: 'Create and invite' }).click();
    await account.getByText(/^Must be a whole number from 0 to 1000000000, or empty/).waitFor();
    assert.deepEqual(await invalidIn(account), ['Units', 'Reports at once']);
    assert.doesNotMatch((await account.textContent()) ?? '', /null|[{}]/);
    assert.ok((await admin.page.evaluate<number>('document.documentElement.scrollWidth')) <= 360);
  });

  it('refuses a public suffix, and shows hosts in those of another service', async () => {
    await rig.admin.addService({ slug: 'wide', hosts: ['*.over.example'] });
    const admin = await operator('services');
    admin.watch.allow(400, /^\/admin\/services$/);
    await admin.button('New service').first().click();
    const dialog = admin.dialog('New service');
    await dialog.getByLabel('Short name').fill('narrow');
    await dialog.getByLabel('Host patterns').fill('*.co.uk');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText(/co\.uk is a public suffix/).waitFor();
    await dialog.getByLabel('Host patterns').fill('in.over.example');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const row = admin.page
      .getByRole('table', { name: 'Overlaps' })
      .getByRole('row')
      .filter({ hasText: 'in.over.example' });
    await row.getByText('wide, declared').waitFor();
    await row.getByText('narrow, declared').waitFor();
  });

  it('invites an account, and changes what it may do', async () => {
    const admin = await operator('accounts');
    await admin.button('New account').click();
    const dialog = admin.dialog('New account');
    await dialog.getByLabel('Name', { exact: true }).fill('bob');
    await dialog.getByLabel(/^researcher/).uncheck();
    await dialog.getByLabel('Units', { exact: true }).fill('50');
    await dialog.getByRole('button', { name: 'Create and invite' }).click();
    const ready = admin.dialog('The account bob is ready');
    const [link = '', token = ''] = await secretsIn(ready);
    await ready.getByRole('button', { name: 'Done' }).click();
    const client = rig.clientOf(token);
    assert.equal((await client.me()).quota.limit, 50);

    const bob = await rig.stranger();
    await bob.open(link);
    await bob.button('Sign in').click();
    await bob.button('Account bob').waitFor();
    assert.equal(await bob.link('Upload').count(), 0);

    await admin.choose('Actions for bob', 'Edit');
    const edited = admin.dialog('Account bob');
    await edited.getByLabel(/^researcher/).check();
    await edited.getByLabel('Units', { exact: true }).fill('70');
    await edited.getByLabel('Add prepaid units').fill('5');
    await edited.getByRole('button', { name: 'Save' }).click();
    await admin.sees('The account bob is saved.');
    await bob.page.reload();
    await bob.link('Upload').waitFor();
    const { roles, quota } = await client.me();
    assert.deepEqual([roles, quota.limit, quota.remaining], [['researcher'], 70, 75]);
  });

  it('disables an account, which ends its sessions at once', async () => {
    const person = await rig.person();
    await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    person.watch.allow(401, /./);
    const admin = await operator('accounts');
    await admin.choose(`Actions for ${person.name}`, 'Disable');
    await admin.confirm('Disable');
    await admin.sees(`The account ${person.name} is disabled.`);
    await person.heading('Sign in').waitFor();
    await person.signInWith(person.token);
    await person.page.getByRole('alert').waitFor();

    await admin.choose(`Actions for ${person.name}`, 'Enable');
    await admin.confirm('Enable');
    await admin.sees(`The account ${person.name} is enabled.`);
    // The session has ended for good.
    await person.open('/feeds');
    await person.heading('Sign in').waitFor();
    await person.signInWith(person.token);
    await person.heading('Feeds').waitFor();
  });

  it('does not offer administrators to disable their account, or to give up its role', async () => {
    const admin = await operator('accounts');
    await admin.choose(`Actions for ${admin.name}`, 'Disable');
    const dialog = admin.dialog('You cannot disable your own account');
    await dialog.getByText('rapsheet account set').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Disable' }).count(), 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await admin.choose(`Actions for ${admin.name}`, 'Edit');
    const edited = admin.dialog(`Account ${admin.name}`);
    await edited.getByText('You cannot give up the role admin yourself').waitFor();
    assert.equal(await edited.getByLabel(/^admin/).count(), 0);
    await edited.getByRole('button', { name: 'Cancel' }).click();
  });

  it('ends the sessions of an account, and revokes the tokens issued in them', async () => {
    const person = await rig.person();
    await person.open('/account');
    person.watch.allow(401, /./);
    await person.button('New token').click();
    await person.dialog('New token').getByRole('button', { name: 'Create' }).click();
    const shown = person.dialog('Your new token');
    const [token = ''] = await secretsIn(shown);
    await shown.getByRole('button', { name: 'Done' }).click();
    await person.sees('in a session');
    const admin = await operator('accounts');
    await admin.choose(`Actions for ${person.name}`, 'End sessions');
    await admin.page.getByLabel(/^Revoke the tokens that were issued in its sessions/).check();
    await admin.confirm('End sessions');
    await admin.sees(`The sessions of ${person.name} are ended. 1 token revoked.`);
    await assert.rejects(rig.clientOf(token).me());
    assert.equal((await person.client.me()).name, person.name);
  });

  it('ends the sessions of an account, and leaves its tokens', async () => {
    const person = await rig.person();
    await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    person.watch.allow(401, /./);
    const admin = await operator('accounts');
    await admin.choose(`Actions for ${person.name}`, 'End sessions');
    await admin.confirm('End sessions');
    await person.heading('Sign in').waitFor();
    assert.equal((await person.client.me()).name, person.name);
  });

  it('shows failed samples, and has them analysed again', async () => {
    const researcher = await rig.researcher();
    const { sha256Hash } = await uploadAndWait(researcher.client, new Blob(['text']), 'note.txt');
    const db = new DatabaseSync(join(rig.installation.dataDir, 'rapsheet.db'));
    db.exec("update upload set state = 'failed', reason = 'The worker was killed.', attempts = 3");
    db.close();
    const admin = await operator('queue');
    const row = admin.page.getByRole('row').filter({ hasText: 'note.txt' });
    await row.getByText('The worker was killed.').waitFor();
    await admin.button('Analyse again: note.txt').click();
    await admin.sees('note.txt is queued again.');
    const state = await eventually(
      () => researcher.client.sampleStatus(sha256Hash),
      ({ status }) => status === 'done' || status === 'failed',
    );
    assert.equal(state.status, 'done');
    await row.waitFor({ state: 'detached' });
  });

  it('has all stored files analysed again, and shows the progress', async () => {
    const researcher = await rig.researcher();
    const { sha256Hash } = await uploadAndWait(researcher.client, new Blob(['old']), 'old.txt');
    const admin = await operator('queue');
    await admin.button('Analyse all again').click();
    await admin.confirm('Analyse all again');
    await admin.sees('The stored files are analysed again.');
    await admin.page.getByText(/: finished\. Started/).waitFor();
    const run = await eventually(
      () => admin.client.showReanalysis(),
      ({ waiting }) => waiting === 0,
    );
    assert.ok(run.queued >= 1);
    await admin.page.goto(`${rig.url}/files/${sha256Hash}`);
    await admin.choose('More', 'Analyse again');
    await admin.sees('The file is queued.');
  });

  it('keeps the filters of the audit log in the address', async () => {
    const admin = await operator('audit');
    const { page } = admin;
    await page.getByLabel('Filter by', { exact: true }).selectOption('action');
    await page.getByLabel('The action to filter by').fill('account.add');
    await admin.button('Filter').click();
    await admin.button('Remove the filter action account.add').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: admin.name })
      .first()
      .getByText('account.add')
      .waitFor();
    assert.equal(new URL(page.url()).searchParams.get('action'), 'account.add');
    await page.getByRole('row').getByRole('link', { name: admin.name, exact: true }).click();
    await admin.button(`Remove the filter subject ${admin.name}`).waitFor();
    // The rows of the other filter may stay until the new ones have come.
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await page.getByRole('row').nth(1).waitFor();

    await page.goBack();
    await admin.button(/^Remove the filter subject/).waitFor({ state: 'detached' });
    await admin.button('Remove the filter action account.add').waitFor();
    await page.goForward();
    await page.reload();
    await admin.button(`Remove the filter subject ${admin.name}`).click();
    await admin.button(/^Remove the filter action/).click();
    await page.waitForURL(/\?section=audit$/);
    // The details of an entry.
    await page.getByRole('row').nth(1).getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  });

  it('shows the settings in force, and no secret', async () => {
    const admin = await operator('settings');
    const { page } = admin;
    const setting = page.getByRole('listitem').filter({ hasText: 'RAPSHEET_SECRET_KEY' });
    await setting.getByText('set', { exact: true }).waitFor();
    const html = await page.content();
    for (const secret of [SECRET, rig.adminToken]) assert.equal(html.includes(secret), false);
    await page.getByLabel('Find settings').fill('data_dir');
    await page.getByText(rig.installation.dataDir).first().waitFor();
    assert.equal(
      await page.getByRole('list', { name: 'Settings' }).getByRole('listitem').count(),
      1,
    );
  });

  it('shows the workers and the queue', async () => {
    const admin = await operator('workers');
    await admin.heading('Administration').waitFor();
    assert.equal(await admin.page.getByRole('alert').count(), 0);
    await admin.link('Queue').click();
    await admin.heading('Queue').waitFor();
    await admin.sees('Waiting');
  });
});
