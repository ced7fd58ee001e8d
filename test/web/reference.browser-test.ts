import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

/** Waits until the page has read the document. */
async function isReady(page: Page): Promise<void> {
  await page.locator('.opblock-summary').first().waitFor();
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
  const shown = operation.locator('.live-responses-table .response-col_status').last();
  return ((await shown.textContent()) ?? '').trim();
}

describe('the reference page', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();
  before(() => rig.admin.addService({ slug: 'ply' }));

  it('keeps the token for the tab, and executes an example with it', async () => {
    const person = await rig.stranger();
    const page = await person.open('/docs');
    await isReady(page);
    await authorize(page, person.token);
    assert.match(await statusOf(await execute(page, 'me')), /^200/);
    await page.reload();
    await isReady(page);
    assert.match(await statusOf(await execute(page, 'balance')), /^200/);
    assert.equal(await page.evaluate('localStorage.length'), 0);
    // Another tab of the same browser, and another browser.
    for (const context of [person.context, (await rig.stranger()).context]) {
      const other = await context.newPage();
      await other.goto(`${rig.url}/livez`);
      assert.equal(await other.evaluate('sessionStorage.length'), 0);
    }
  });

  it('stops a stream and shows what arrived', async () => {
    const person = await rig.stranger({ bypassCSP: true });
    const page = await person.open('/docs');
    await isReady(page);
    const ours = (await violationsOf(page)).filter((text) => text.includes('rapsheet'));
    assert.deepEqual(ours, []);
    await authorize(page, person.token);
    const operation = await execute(page, 'feedStream');
    await person.sees(/Receiving \/feed\/ply\/stream/);
    await person.button('Stop the stream').click();
    assert.match(await statusOf(operation), /^200/);
    assert.equal(await page.locator('.rapsheet-stream').count(), 0);
  });
});
