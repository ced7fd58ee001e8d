import type { Page } from 'playwright-core';

const QUIET_MS = 250;
const WAIT_MS = 10_000;
/** Streams stay open. */
const ENDLESS = /\/stream\b/;

/**
 * Follows the requests of a page, to know when everything on it has arrived. `networkidle` of
 * Playwright would wait for the stream, which never ends.
 */
export class Requests {
  #open = 0;
  #changedAt = performance.now();

  constructor(page: Page) {
    const change = (by: number) => (request: { url(): string }) => {
      if (ENDLESS.test(request.url())) return;
      this.#open = Math.max(0, this.#open + by);
      this.#changedAt = performance.now();
    };
    page.on('request', change(1));
    page.on('requestfinished', change(-1));
    page.on('requestfailed', change(-1));
    page.on('framenavigated', () => {
      this.#open = 0;
    });
  }

  /** Waits until nothing was requested for a moment; gives up after some seconds. */
  async settled(page: Page): Promise<void> {
    const end = performance.now() + WAIT_MS;
    while (performance.now() < end) {
      const isQuiet = this.#open === 0 && performance.now() - this.#changedAt > QUIET_MS;
      if (isQuiet && (await hasContent(page))) return;
      await page.waitForTimeout(50);
    }
  }
}

/** Code of the page is text, because these files are checked without the types of a browser. */
const HAS_CONTENT = `(() => {
  const skeletons = [...document.querySelectorAll('[role="status"][aria-label]')];
  const isLoading = skeletons.some((each) => each.getClientRects().length > 0);
  return !isLoading && document.querySelector('h1, h2') !== null;
})()`;

/** Whether there is a heading, and no skeleton of something that loads. */
function hasContent(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(HAS_CONTENT);
}
