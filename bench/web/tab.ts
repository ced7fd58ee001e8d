import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Requests } from '../../scripts/browser/settled.ts';
import { signIn } from '../../scripts/browser/sign-in.ts';

/** Runs in every page before its own scripts. */
const OBSERVE = `
  globalThis.measured = { shifts: [], firstPaint: 0, paint: 0 };
  const observe = (type, add) => new PerformanceObserver((list) => list.getEntries().forEach(add))
    .observe({ type, buffered: true });
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) measured.shifts.push(entry.value);
  });
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') measured.firstPaint = startTime;
  });
  observe('largest-contentful-paint', ({ startTime }) => { measured.paint = startTime; });
`;

/** Collects the times between frames in `frames`, until `frames.isOver`. */
const FRAMES = `
  globalThis.frames = [];
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    frames.push(now - last);
    last = now;
    if (!frames.isOver) requestAnimationFrame(frame);
  });
`;

/** Some tens of milliseconds of what scripts do: objects, strings, sorting. */
const CALCULATION = `(() => {
  const startedAt = performance.now();
  for (let round = 0; round < 20; round += 1) {
    const items = Array.from({ length: 2000 }, (_, index) => ({ key: String((index * 7919) % 2003) }));
    items.sort((one, other) => one.key.localeCompare(other.key));
    JSON.parse(JSON.stringify(items));
  }
  return performance.now() - startedAt;
})()`;

export interface Measured {
  readonly shifts: readonly number[];
  /** When anything was painted, since the start of the navigation. */
  readonly firstPaint: number;
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

  /** Slows the processor for the page. */
  async slow(rate: number): Promise<void> {
    const session = await this.#context.newCDPSession(this.page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
  }

  /** The time of a fixed calculation, with which other times can be compared. */
  calculationMs(): Promise<number> {
    return this.page.evaluate<number>(CALCULATION);
  }

  /** The times between the frames while `work` runs. */
  async framesDuring(work: () => Promise<void>): Promise<readonly number[]> {
    await this.page.evaluate(FRAMES);
    await work();
    return await this.page.evaluate<number[]>('frames.isOver = true, [...frames]');
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
