import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { RapsheetClient } from '../../../src/client/client.ts';
import { PageWatch } from './page-watch.ts';

interface Parts {
  readonly name: string;
  readonly token: string;
  readonly url: string;
  readonly client: RapsheetClient;
  readonly context: BrowserContext;
}

/** An account with a browser of its own, of which the first tab is `page`. */
export class Person {
  readonly name: string;
  readonly token: string;
  /** Calls the API directly, with the token. */
  readonly client: RapsheetClient;
  readonly context: BrowserContext;
  readonly watch: PageWatch;
  readonly #url: string;
  #page: Page | undefined;

  constructor({ name, token, url, client, context }: Parts) {
    this.name = name;
    this.token = token;
    this.client = client;
    this.context = context;
    this.watch = new PageWatch(context, url);
    this.#url = url;
  }

  get page(): Page {
    assert.ok(this.#page, 'no page has been opened');
    return this.#page;
  }

  /** Opens a path of the server in the first tab, as by its address bar. */
  async open(path: string): Promise<Page> {
    this.#page ??= await this.context.newPage();
    await this.#page.goto(new URL(path, this.#url).href);
    return this.#page;
  }

  /** Waits until the text stands on the page. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { name });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name });
  }

  dialog(name: string | RegExp): Locator {
    return this.page.getByRole('dialog', { name });
  }

  /** Fills in the form of the sign-in page. */
  async signInWith(token: string): Promise<void> {
    await this.page.getByLabel('Token').fill(token);
    await this.button('Sign in').click();
  }

  /** Opens a menu by its button, and chooses an entry. */
  async choose(menu: string | RegExp, entry: string | RegExp): Promise<void> {
    await this.button(menu).click();
    await this.page.getByRole('menuitem', { name: entry }).click();
  }

  /** Answers a question before something that cannot be undone. */
  async confirm(action: string): Promise<void> {
    const question = this.page.getByRole('alertdialog');
    await question.getByRole('button', { name: action, exact: true }).click();
    await question.waitFor({ state: 'detached' });
  }

  /** The units that are left, as the API says. */
  async unitsLeft(): Promise<number | null> {
    return (await this.client.me()).quota.remaining;
  }
}
