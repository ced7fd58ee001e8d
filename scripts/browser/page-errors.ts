import type { Page } from 'playwright-core';

const FAILED_REQUEST = /^Failed to load resource: the server responded with a status of (\d+)/;

/**
 * Collects what a page writes to the console as an error: exceptions, violations of the content
 * security policy, and responses with an error. A browser logs the latter by itself, so a page that
 * shows a refusal declares the statuses it expects.
 */
export class PageErrors {
  readonly #found: string[] = [];
  expected: readonly number[] = [];

  constructor(page: Page) {
    page.on('pageerror', (error) => this.#found.push(String(error)));
    page.on('console', (message) => {
      const text = message.text();
      const status = FAILED_REQUEST.exec(text)?.[1];
      if (message.type() !== 'error') return;
      if (status !== undefined && this.expected.includes(Number(status))) return;
      this.#found.push(`${text} (${message.location().url})`);
    });
  }

  /** Those since the last call. */
  take(): readonly string[] {
    return this.#found.splice(0);
  }
}
