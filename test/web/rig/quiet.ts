import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { WAIT_MS } from './browser.ts';

const QUIET_MS = 250;

/** Waits until a page that follows a stream has loaded everything else: its text stays the same. */
export async function isQuiet(page: Page): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (let before: string | undefined; performance.now() < deadline; ) {
    const now = await page.locator('body').innerHTML();
    if (now === before && (await page.getByRole('status', { name: /^Load/ }).count()) === 0) return;
    before = now;
    await pause(QUIET_MS);
  }
}
