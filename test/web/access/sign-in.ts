import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { onlyOnSqlite } from '../../database.ts';
import type { BrowserRig } from '../rig/browser-rig.ts';
import type { Person } from '../rig/person.ts';

export function testSigningIn(rig: BrowserRig): void {
  const isSignedIn = (person: Person) => person.button(`Account ${person.name}`).waitFor();

  it('takes a link once, on the click and not on load', async () => {
    const person = await rig.stranger();
    const { link } = await rig.admin.createAccountLink(person.name);
    const page = await person.open(link);
    await person.button('Sign in').waitFor();
    // As a mail scanner does, which must not use the link up.
    await person.open('/sign-in');
    await person.open(link);
    await person.button('Sign in').click();
    await isSignedIn(person);
    await page.waitForURL(`${rig.url}/`);
    await page.reload();
    await isSignedIn(person);
    // The history does not keep the secret.
    await page.goBack();
    await page.waitForURL(`${rig.url}/sign-in`);

    const other = await rig.stranger();
    await other.open(link);
    await other.button('Sign in').click();
    await other.heading('This link no longer works').waitFor();
    await other.open('/account');
    await other.heading('Sign in').waitFor();
  });

  it('says that a link without its fragment is incomplete', async () => {
    const person = await rig.stranger();
    await person.open('/welcome');
    await person.heading('The link is incomplete').waitFor();
    await person.link('Sign in with a token').click();
    await person.page.getByLabel('Token').waitFor();
  });

  it('takes a token, and leads to the page that was asked for', async () => {
    const person = await rig.stranger();
    const page = await person.open('/account');
    await person.heading('Sign in').waitFor();
    await person.signInWith(`rap_${'x'.repeat(43)}`);
    await page.getByRole('alert').waitFor();
    await person.signInWith(person.token);
    await person.heading(`Account ${person.name}`).waitFor();
    await page.waitForURL(`${rig.url}/account`);
    // Scripts can read neither the token nor the cookie.
    assert.equal(await page.evaluate('document.cookie'), '');
    assert.doesNotMatch(
      String(await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])')),
      /ra[pls]_/,
    );
  });

  it('refuses a token that was revoked', async () => {
    const person = await rig.stranger();
    const { token, id } = await rig.admin.issueAccountToken(person.name);
    await rig.admin.revokeAccountToken(id);
    await person.open('/sign-in');
    await person.signInWith(token);
    await person.page.getByRole('alert').waitFor();
    assert.equal(await person.page.getByLabel('Token').isVisible(), true);
  });

  it('never leads to another site after a sign-in', async () => {
    for (const next of ['//evil.example/', '/\\evil.example', 'https://evil.example/']) {
      const person = await rig.stranger();
      await person.open(`/sign-in?next=${encodeURIComponent(next)}`);
      await person.signInWith(person.token);
      await isSignedIn(person);
      assert.ok(person.page.url().startsWith(`${rig.url}/`), person.page.url());
    }
  });

  it('ends the session when its token is revoked, and goes on after signing in again', async () => {
    const person = await rig.person();
    await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    const [first] = (await rig.admin.listAccountTokens(person.name)).tokens;
    person.watch.allow(401, /./);
    await rig.admin.revokeAccountToken(first?.id ?? '');
    await person.open('/find?q=asyncrat');
    await person.heading('Sign in').waitFor();
    const { token } = await rig.admin.issueAccountToken(person.name);
    await person.signInWith(token);
    await person.heading(/^Search for .*asyncrat/).waitFor();
  });

  it('says that the session has ended, and comes back to the page after signing in', async () => {
    const person = await rig.person({ roles: ['researcher'] });
    await rig.admin.addService({ slug: 'ended' });
    const page = await person.open('/feeds/ended?status=open');
    await person.heading(/ended/).first().waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    person.watch.allow(401, /./);
    await rig.admin.endAccountSessions(person.name);
    await person.heading('Sign in').waitFor();
    await person.sees(/^Your session has ended\. Sign in again, and you come back/);
    assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /Authorization/);
    const asked = new URL(page.url()).searchParams.get('next') ?? '';
    assert.match(asked, /^\/feeds\/ended/);
    await person.signInWith(person.token);
    await page.waitForURL(`${rig.url}${asked}`);
    assert.equal(await page.getByText('Your session has ended').count(), 0);
  });

  it('says on the start page that the session has ended, but not after signing out', async () => {
    const person = await rig.person();
    await person.open('/');
    await person.button(`Account ${person.name}`).waitFor();
    person.watch.allow(401, /./);
    // No page is open that would notice the end of the session.
    await person.open('about:blank');
    await rig.admin.endAccountSessions(person.name);
    await person.open('/');
    await person.sees('Your session has ended. Sign in again to go on.');
    await person.link('Sign in').click();
    await person.sees('Your session has ended.');
    await person.signInWith(person.token);
    await person.choose(`Account ${person.name}`, 'Sign out');
    await person.heading('Sign in').waitFor();
    assert.equal(await person.page.getByText('Your session has ended').count(), 0);
  });

  it('asks to sign in when the session has expired', onlyOnSqlite('sets a time'), async () => {
    const person = await rig.person();
    await person.open('/feeds');
    await person.heading('Feeds').waitFor();
    person.watch.allow(401, /./);
    const db = new DatabaseSync(join(rig.installation.dataDir, 'rapsheet.db'));
    db.exec("update session set expires_at = '2020-01-01T00:00:00.000Z'");
    db.close();
    await person.open('/account');
    await person.heading('Sign in').waitFor();
  });

  it('signs out, in all browsers if asked to', async () => {
    const person = await rig.person();
    await person.open('/');
    await person.button(`Account ${person.name}`).click();
    await person.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await person.heading('Sign in').waitFor();
    await person.open('/account');
    await person.heading('Sign in').waitFor();

    await person.signInWith(person.token);
    person.watch.allow(401, /./);
    await person.button('Sign out everywhere').click();
    await person.page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click();
    await person.heading('Sign in').waitFor();
  });
}
