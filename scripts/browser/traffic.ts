import type { CDPSession, Page } from 'playwright-core';

interface Response {
  readonly url: string;
  bytes: number;
}

/** Counts what a page requests, and the bytes that its server sends for it, headers included. */
export class Traffic {
  readonly #session: CDPSession;
  readonly #responses = new Map<string, Response>();

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (/^https?:/.test(request.url))
        this.#responses.set(requestId, { url: request.url, bytes: 0 });
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const response = this.#responses.get(requestId);
      if (response !== undefined) response.bytes = encodedDataLength;
    });
  }

  static async of(page: Page): Promise<Traffic> {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    return new Traffic(session);
  }

  get requests(): readonly string[] {
    return [...this.#responses.values()].map(({ url }) => url);
  }

  /** What was requested, the largest first. */
  get largest(): readonly Readonly<Response>[] {
    return [...this.#responses.values()].toSorted((one, other) => other.bytes - one.bytes);
  }

  get bytes(): number {
    return [...this.#responses.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async stop(): Promise<void> {
    await this.#session.detach();
  }
}
