import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Requests } from '../../scripts/browser/settled.ts';
import { signIn } from '../../scripts/browser/sign-in.ts';

/** Runs in every page before its own scripts. */
const OBSERVE = `
  globalThis.measured = { longTasks: [], shifts: [], paint: 0 };
  const observe = (type, add) => new PerformanceObserver((list) => list.getEntries().forEach(add))
    .observe({ type, buffered: true });
  observe('longtask', ({ startTime, duration }) =>
    measured.longTasks.push({ at: startTime, ms: duration }));
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) measured.shifts.push(entry.value);
  });
  observe('largest-contentful-paint', ({ startTime }) => { measured.paint = startTime; });
`;

export interface Measured {
  readonly longTasks: readonly { readonly at: number; readonly ms: number }[];
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

  /** Forgets what was measured so far. */
  async reset(): Promise<void> {
    await this.page.evaluate('measured.longTasks.length = 0; measured.shifts.length = 0;');
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

/** The longest task in milliseconds; tasks of up to 50 ms are not reported, and count as 0. */
export function longest({ longTasks }: Measured): number {
  return Math.max(0, ...longTasks.map(({ ms }) => ms));
}
