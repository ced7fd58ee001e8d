import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestInstallation } from '../installation.ts';
import { launchBrowser, WAIT_MS, whyNoBrowser } from './harness/browser.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

it('shows every operation on the reference page, offline and with a strict CSP', {
  skip: whyNoBrowser,
  timeout: 6 * WAIT_MS,
}, async () => {
  const installation = new TestInstallation();
  const url = await installation.serve();
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const external: string[] = [];
    const errors: string[] = [];
    await page.route('**/*', (route) => {
      const requested = route.request().url();
      if (requested.startsWith(url) || requested.startsWith('data:')) return route.continue();
      external.push(requested);
      return route.abort();
    });
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${url}/docs`, { timeout: WAIT_MS });
    await page.waitForSelector('.opblock-summary', { timeout: WAIT_MS });
    const shown = (await page.textContent('body')) ?? '';
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
    for (const { summary } of Object.values(document.paths).flatMap((path) =>
      Object.values(path),
    )) {
      assert.ok(shown.includes(summary), summary);
    }
    assert.deepEqual(external, []);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await installation.close();
  }
});
