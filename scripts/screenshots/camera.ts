import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PageErrors } from '../browser/page-errors.ts';
import { Requests } from '../browser/settled.ts';
import { signIn } from '../browser/sign-in.ts';
import type { PictureSource, Viewer } from './pages.ts';

export const WIDTHS = [360, 1280, 2560] as const;
export const THEMES = ['light', 'dark'] as const;
const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 1280: 860, 2560: 1300 };
/** A feed has thousands of rows: more than some screens of it show nothing new. */
const MAX_SCREENS = 2;
const REDRAW_MS = 200;

export interface Variant {
  readonly width: number;
  readonly theme: (typeof THEMES)[number];
}

export interface Visit {
  readonly url: string;
  /** `undefined`: not signed in. */
  readonly token: string | undefined;
}

/** Takes the pictures. A viewer has one tab, which is resized and switched between the themes. */
export class Camera {
  readonly #browser: Browser;
  readonly #visits: (viewer: Viewer) => Visit;
  readonly #tabs = new Map<Viewer, Tab>();

  constructor(browser: Browser, visits: (viewer: Viewer) => Visit) {
    this.#browser = browser;
    this.#visits = visits;
  }

  /** Opens a page. Returns it with what went wrong on it. */
  async open(source: PictureSource): Promise<{ readonly page: Page; errors(): readonly string[] }> {
    const tab = this.#tabs.get(source.as) ?? (await this.#newTab(source.as));
    this.#tabs.set(source.as, tab);
    const { page, requests, errors } = tab;
    errors.expected = source.expected ?? [];
    await this.resize(page, { width: 1280, theme: 'light' });
    // A page with the same path and another fragment would not load again.
    await page.goto('about:blank');
    await page.goto(this.#visits(source.as).url + source.path);
    await requests.settled(page);
    if (source.prepare !== undefined) {
      await source.prepare(page);
      await requests.settled(page);
    }
    return { page, errors: () => errors.take() };
  }

  async take(page: Page, variant: Variant, file: string): Promise<void> {
    await this.resize(page, variant);
    const bytes = await this.#picture(page);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, bytes);
  }

  /** One screen for a document, as WebP, which has a third of the size of PNG. */
  async takeForDocs(page: Page, theme: Variant['theme'], file: string): Promise<void> {
    await this.resize(page, { width: 1280, theme });
    const png = await page.screenshot();
    // A page of its own: the policy of the application forbids what the conversion needs.
    const other = await this.#browser.newPage();
    const webp = await other.evaluate<string>(toWebp(png));
    await other.close();
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, Buffer.from(webp, 'base64'));
  }

  async close(): Promise<void> {
    for (const { context } of this.#tabs.values()) await context.close();
  }

  async resize(page: Page, { width, theme }: Variant): Promise<void> {
    await page.setViewportSize({ width, height: HEIGHTS[width] ?? 860 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    // Plots are drawn again after a change of size or theme.
    await page.waitForTimeout(REDRAW_MS);
  }

  async #picture(page: Page): Promise<Buffer> {
    const screen = page.viewportSize() ?? { width: 0, height: 0 };
    const content = await page.evaluate<number>('document.documentElement.scrollHeight');
    if (content > screen.height) {
      // A higher window, not a picture of the whole page: long lists draw only what is visible.
      const height = Math.min(content, MAX_SCREENS * screen.height);
      await page.setViewportSize({ ...screen, height });
      await page.waitForTimeout(REDRAW_MS);
    }
    return await page.screenshot();
  }

  async #newTab(viewer: Viewer): Promise<Tab> {
    const { url, token } = this.#visits(viewer);
    const context = await this.#browser.newContext();
    const page = await context.newPage();
    if (token !== undefined) await signIn(page, url, token);
    return { context, page, requests: new Requests(page), errors: new PageErrors(page) };
  }
}

interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly requests: Requests;
  readonly errors: PageErrors;
}

/** Code of a browser that converts a picture. */
function toWebp(png: Buffer): string {
  return `(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.88).replace(/^.*,/, '');
  })()`;
}
