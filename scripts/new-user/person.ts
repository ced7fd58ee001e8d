import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { PageErrors } from '../browser/page-errors.ts';

/** Generous, for slow machines: what is counted are actions, not seconds. */
const WAIT_MS = 30_000;

export interface Effort {
  readonly who: string;
  readonly job: string;
  clicks: number;
  typed: number;
  /** Texts that the person had at hand: a link, a hash. */
  pasted: number;
  seconds: number;
}

type Role = Parameters<Page['getByRole']>[0];

/** Somebody with a browser of their own. Every action is counted. */
export class Person {
  readonly effort: Effort;
  readonly errors: PageErrors;
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #startedAt = performance.now();

  private constructor(context: BrowserContext, page: Page, who: string, job: string) {
    this.#context = context;
    this.#page = page;
    this.effort = { who, job, clicks: 0, typed: 0, pasted: 0, seconds: 0 };
    this.errors = new PageErrors(page);
    // Before the sign-in the page asks who is signed in.
    this.errors.expected = [401];
  }

  static async open(browser: Browser, who: string, job: string): Promise<Person> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    return new Person(context, page, who, job);
  }

  /** Opens a link from a message or a terminal: one click. */
  async openLink(url: string): Promise<void> {
    this.effort.clicks += 1;
    await this.#page.goto(url);
  }

  async click(role: Role, name: RegExp): Promise<void> {
    await this.#clickOn(this.#find(role, name));
  }

  async type(label: RegExp, text: string): Promise<void> {
    const field = this.#page.getByLabel(label).first();
    await this.#clickOn(field);
    await field.pressSequentially(text);
    this.effort.typed += text.length;
  }

  /** Presses keys of the page, such as its shortcuts. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
    this.effort.typed += keys.length;
  }

  /** Pastes into what has the focus. */
  async paste(text: string): Promise<void> {
    await this.#page.keyboard.insertText(text);
    this.effort.pasted += 1;
  }

  /** Clicks a button that asks for files, and chooses one: a double click in the dialog. */
  async chooseFile(name: RegExp, file: { readonly name: string; readonly bytes: Uint8Array }) {
    const asked = this.#page.waitForEvent('filechooser');
    await this.click('button', name);
    const buffer = Buffer.from(file.bytes);
    const mimeType = 'application/octet-stream';
    await (await asked).setFiles({ name: file.name, mimeType, buffer });
    this.effort.clicks += 1;
  }

  /** Waits until the page says so. */
  async sees(text: RegExp | string): Promise<void> {
    await this.#page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** The text of the first such element: what the person copies. Copying is a click. */
  async copies(selector: string): Promise<string> {
    this.effort.clicks += 1;
    return ((await this.#page.locator(selector).first().textContent()) ?? '').trim();
  }

  /** Waits for another page. */
  async reaches(path: RegExp): Promise<void> {
    await this.#page.waitForURL(path);
  }

  /** Ends the counting; the page stays open. */
  done(): void {
    this.effort.seconds = (performance.now() - this.#startedAt) / 1000;
  }

  /** For a message about a step that failed. */
  async describe(): Promise<string> {
    const text = (await this.#page.locator('main').textContent()) ?? '';
    return `${this.effort.who} at ${this.#page.url()}:\n${text.slice(0, 1500)}`;
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  #find(role: Role, name: RegExp): Locator {
    return this.#page.getByRole(role, { name }).filter({ visible: true }).first();
  }

  async #clickOn(target: Locator): Promise<void> {
    await target.click();
    this.effort.clicks += 1;
  }
}
