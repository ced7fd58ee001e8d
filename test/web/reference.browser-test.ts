import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { violationsOf } from './rig/axe.ts';
import { whyNoBrowser } from './rig/browser.ts';
import { openBrowserRig } from './rig/browser-rig.ts';

describe('the reference page', { skip: whyNoBrowser }, () => {
  const rig = openBrowserRig();

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violations of accessibility in the ${colorScheme} theme, wide and narrow`, async () => {
      // axe is an inline script.
      const person = await rig.stranger({ bypassCSP: true, colorScheme });
      const page = await person.open('/docs');
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${rig.url}/docs#/Webhooks/addWebhook`);
        await page.locator('[id="/Webhooks/addWebhook"]').getByText('curl -H').waitFor();
        // axe takes a minute for all operations, which have the same form.
        await page.getByRole('searchbox').fill('webhook');
        assert.deepEqual(await violationsOf(page), []);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        assert.equal(overflow, 0, `${width}`);
      }
    });

  it('opens the operation of a link, and those of links of earlier versions', async () => {
    const person = await rig.stranger();
    const page = await person.open('/docs#/Samples/lookUp');
    const operation = page.locator('details', { has: page.locator('[id="/Samples/lookUp"]') });
    await operation.getByRole('heading', { name: 'Parameters' }).waitFor();
    await page.goto(`${rig.url}/docs#/Desk/setStatus`);
    await page.locator('[id="/Desk/setStatus"]').getByText('unknown_report').first().waitFor();
  });

  it('is searched by keyboard', async () => {
    const person = await rig.stranger();
    const page = await person.open('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('preview report');
    await page.getByRole('status').getByText('Found:').waitFor();
    const shown = page.locator('details.operation:visible');
    assert.equal(await shown.count(), 1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await shown.getByRole('heading', { name: 'Errors' }).waitFor();
    await page.getByRole('searchbox').fill('');
    assert.ok((await shown.count()) > 100);
  });

  it('shows the examples of all operations in the chosen language, and remembers it', async () => {
    const person = await rig.stranger();
    const page = await person.open('/docs#/Feeds/createReport');
    const operation = page.locator('[id="/Feeds/createReport"]');
    await operation.getByText('curl -H').waitFor();
    await page.getByRole('radio', { name: 'Python' }).check();
    await operation.getByText('client.create_report(').waitFor();
    assert.equal(await operation.locator('.sample:visible').count(), 1);
    await page.reload();
    await operation.getByText('client.create_report(').waitFor();
  });
});
