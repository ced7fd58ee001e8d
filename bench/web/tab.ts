import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Requests } from '../../scripts/browser/settled.ts';
import { signIn } from '../../scripts/browser/sign-in.ts';

/** Runs in every page before its own scripts. */
const OBSERVE = `
  globalThis.measured = { shifts: [], paint: 0 };
  const observe = (type, add) => new PerformanceObserver((list) => list.getEntries().forEach(add))
    .observe({ type, buffered: true });
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) measured.shifts.push(entry.value);
  });
  observe('largest-contentful-paint', ({ startTime }) => { measured.paint = startTime; });
`;

export interface Measured {
  readonly shifts: readonly number[];
  /** When the largest element was painted, since the start of the navigation. */
  readonly paint: number;
}

/** A tab that measures itself. */
export class MeasuredTab {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #requests: Requests;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    this.#requests = new Requests(page);
  }

  /** Each has an empty cache. Without a token nobody is signed in. */
  static async open(browser: Browser, url: string, token?: string): Promise<MeasuredTab> {
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width: 1280, height: 860 },
    });
    await context.addInitScript(OBSERVE);
    const page = await context.newPage();
    if (token !== undefined) await signIn(page, url, token);
    // The sign-in has loaded scripts that a first view must load itself.
    const session = await context.newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await session.detach();
    return new MeasuredTab(context, page);
  }

  async visit(path: string): Promise<void> {
    await this.page.goto(path);
    await this.#requests.settled(this.page);
  }

  measured(): Promise<Measured> {
    return this.page.evaluate<Measured>('measured');
  }

  /** The memory of the objects of the page that are in use. */
  async heapMb(): Promise<number> {
    const session = await this.#context.newCDPSession(this.page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    await session.detach();
    return usedSize / 1e6;
  }

  /** Opens more tabs of the same person. They close with this one. */
  async openMore(count: number, path: string): Promise<readonly Page[]> {
    const pages: Page[] = [];
    for (let number = 0; number < count; number += 1) {
      const page = await this.#context.newPage();
      await page.goto(path);
      await new Requests(page).settled(page);
      pages.push(page);
    }
    return pages;
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
