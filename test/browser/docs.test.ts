import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { chromium } from 'playwright-core';
import { TestInstallation } from '../installation.ts';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = BROWSERS.find((path) => existsSync(path));
const skip = executablePath === undefined && 'a browser (chromium) is not installed';
/** Generous, for slow machines. */
const WAIT_MS = 120_000;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
}

it('shows every operation on the reference page, offline and with a strict CSP', {
  skip,
  timeout: 3 * WAIT_MS,
}, async () => {
  const installation = new TestInstallation();
  const url = await installation.serve();
  const browser = await chromium.launch({
    executablePath: executablePath ?? '',
    timeout: WAIT_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
  });
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
