import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { violationsOf } from '../harness/axe.ts';
import type { Person } from '../harness/person.ts';
import type { Stage } from '../harness/stage.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

/** Opens the page and waits until it has read the document. */
async function openReference(person: Person): Promise<Page> {
  const page = await person.open('/docs');
  await page.locator('.opblock-summary').first().waitFor();
  return page;
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input').first().fill(token);
  await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
}

/** Executes an operation with the examples that the page fills in. */
async function execute(page: Page, operationId: string): Promise<Locator> {
  const operation = page.locator(`[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  return operation;
}

async function statusOf(operation: Locator): Promise<string> {
  const shown = operation.locator('.live-responses-table .response-col_status');
  return (await shown.last().textContent()) ?? '';
}

export function testReferencePage(stage: Stage): void {
  it('shows every operation, offline and with a strict CSP', async () => {
    const { url } = stage;
    const person = await stage.stranger();
    const external: string[] = [];
    await person.context.route('**/*', (route) => {
      const requested = route.request().url();
      if (requested.startsWith(url) || requested.startsWith('data:')) return route.continue();
      external.push(requested);
      return route.abort();
    });
    const page = await openReference(person);
    const shown = (await page.textContent('body')) ?? '';
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.ok(operations.length > 0);
    for (const { summary } of operations) assert.ok(shown.includes(summary), summary);
    assert.deepEqual(external, []);
  });

  it('opens with how to get a token, a first call to this server and the guides', async () => {
    const person = await stage.stranger();
    const page = await openReference(person);
    await person.heading('Get a token').waitFor();
    const shown = (await page.locator('.rapsheet-start').textContent()) ?? '';
    assert.ok(shown.includes(`curl -H "Authorization: $TOKEN" ${stage.url}/api/me`), shown);
    const guide = person.link('Researcher');
    const path = (await guide.getAttribute('href')) ?? '';
    assert.match(await (await fetch(new URL(path, stage.url))).text(), /^# Researcher/);
  });

  it('keeps the token for the tab, and executes an example with it', async () => {
    const person = await stage.stranger();
    const page = await openReference(person);
    await authorize(page, person.token);
    assert.equal(await statusOf(await execute(page, 'me')), '200');
    await page.reload();
    await page.locator('.opblock-summary').first().waitFor();
    assert.equal(await statusOf(await execute(page, 'balance')), '200');
    assert.equal(await page.evaluate('localStorage.length'), 0);
    const other = await person.context.newPage();
    await other.goto(page.url());
    await other.locator('.opblock-summary').first().waitFor();
    assert.equal(await other.evaluate('sessionStorage.length'), 0);
  });

  it('stops a stream and shows what arrived', async () => {
    await stage.admin.addService({ slug: 'ply' }).catch(() => undefined);
    const person = await stage.stranger();
    const page = await openReference(person);
    await authorize(page, person.token);
    const operation = await execute(page, 'feedStream');
    await person.sees(/Receiving \/feed\/ply\/stream/);
    await person.button('Stop the stream').click();
    assert.equal(await statusOf(operation), '200');
    assert.equal(await page.locator('.rapsheet-stream').count(), 0);
  });

  it('adds nothing that is hard to reach', async () => {
    const person = await stage.stranger({ bypassCSP: true });
    const page = await openReference(person);
    const ours = (await violationsOf(page)).filter((text) => text.includes('rapsheet'));
    assert.deepEqual(ours, []);
  });
}
