import type { Page, Request } from 'playwright-core';

const QUIET_MS = 250;
const WAIT_MS = 8000;
/** A request that takes longer is a stream, or one whose end a worker does not report. */
const ENDLESS_MS = 1200;

/**
 * Follows the requests of a page, to know when everything on it has arrived. `networkidle` of
 * Playwright would wait for the stream, which never ends.
 */
export class Requests {
  readonly #open = new Map<Request, number>();
  #changedAt = performance.now();

  constructor(page: Page) {
    page.on('request', (request) => {
      this.#open.set(request, performance.now());
      this.#changedAt = performance.now();
    });
    const end = (request: Request) => {
      if (this.#open.delete(request)) this.#changedAt = performance.now();
    };
    page.on('requestfinished', end);
    page.on('requestfailed', end);
  }

  /** Waits until nothing was requested for a moment; gives up after some seconds. */
  async settled(page: Page): Promise<void> {
    const end = performance.now() + WAIT_MS;
    while (performance.now() < end) {
      if (this.#isQuiet(performance.now()) && (await hasContent(page))) return;
      await page.waitForTimeout(50);
    }
  }

  #isQuiet(now: number): boolean {
    if (now - this.#changedAt < QUIET_MS) return false;
    return [...this.#open.values()].every((startedAt) => now - startedAt > ENDLESS_MS);
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
