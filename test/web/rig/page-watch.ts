import type { BrowserContext, Page, Response } from 'playwright-core';

interface Allowed {
  readonly status: number;
  readonly path: RegExp;
}

/** A page asks who is signed in; without a session that is refused. */
const NOBODY: Allowed = { status: 401, path: /^\/session$/ };

const LOST_SCRIPT = /dynamically imported module|script of the page did not arrive/;

/**
 * Collects what must not happen on the pages of a browser context: messages of the console,
 * violations of the content policy among them, uncaught errors, refused and failed requests.
 */
export class PageWatch {
  readonly problems: string[] = [];
  readonly #allowed: Allowed[] = [NOBODY];
  readonly #origin: string;
  /** Set while a test stops the server. */
  mayLoseServer = false;

  constructor(context: BrowserContext, url: string) {
    this.#origin = new URL(url).origin;
    context.on('page', (page) => this.#follow(page));
  }

  /** Expects that the server refuses requests of a path with a status. */
  allow(status: number, path: RegExp): void {
    this.#allowed.push({ status, path });
  }

  /** Pages of other sites may do what they like. */
  #isOurs(page: Page): boolean {
    return page.url() === 'about:blank' || page.url().startsWith(this.#origin);
  }

  #follow(page: Page): void {
    page.on('console', (message) => {
      if (!this.#isOurs(page)) return;
      const text = message.text();
      // The events of the requests tell more: their status and their method.
      if (text.startsWith('Failed to load resource')) return;
      if (this.mayLoseServer && LOST_SCRIPT.test(text)) return;
      if (['error', 'warning'].includes(message.type()))
        this.problems.push(`${message.type()} on ${page.url()}: ${text}`);
    });
    page.on('pageerror', (error) => this.problems.push(`${page.url()}: ${error.stack}`));
    page.on('response', (response) => {
      if (this.#isOurs(page)) this.#check(response);
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      // A page that is left aborts its requests.
      if (!this.#isOurs(page) || this.mayLoseServer || reason === 'net::ERR_ABORTED') return;
      this.problems.push(`${request.method()} ${request.url()}: ${reason}`);
    });
  }

  #check(response: Response): void {
    const status = response.status();
    if (status < 400) return;
    const { pathname } = new URL(response.url());
    if (this.#allowed.some((one) => one.status === status && one.path.test(pathname))) return;
    this.problems.push(`${response.request().method()} ${response.url()}: ${status}`);
  }
}
