import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { BENCH_TOKEN } from '../fill.ts';
import type { RunningServer } from '../processes.ts';
import { createBody } from '../requests.ts';
import type { Verdicts } from '../verdicts.ts';

const PER_MINUTE = 1000;
/** The page applies what arrives together; the last of it may still be on its way. */
const SETTLE_MS = 1500;

/** Sends 1,000 reports a minute to a feed. */
export class Arrivals {
  readonly #port: number;
  readonly #stored: number;
  #sent = 0;

  constructor({ port }: RunningServer, stored: number) {
    this.#port = port;
    this.#stored = stored;
  }

  /** Returns how many were sent. */
  async send(seconds: number): Promise<number> {
    const count = Math.round((seconds * PER_MINUTE) / 60);
    const startedAt = performance.now();
    for (let number = 1; number <= count; number += 1) {
      await this.#create();
      const dueMs = (number * 60_000) / PER_MINUTE;
      await pause(Math.max(0, startedAt + dueMs - performance.now()));
    }
    const minutes = (performance.now() - startedAt) / 60_000;
    console.log(`${count} reports arrived, ${Math.round(count / minutes)} a minute`);
    await pause(SETTLE_MS);
    return count;
  }

  async #create(): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/feed/ply/api`, {
      method: 'POST',
      headers: { authorization: BENCH_TOKEN, 'content-type': 'application/json' },
      body: createBody(this.#sent, this.#stored),
    });
    this.#sent += 1;
    if (!answer.ok) throw new Error(`a create failed: ${await answer.text()}`);
    await answer.text();
  }
}

/** The number on the button that shows new reports. */
export async function announcedOn(page: Page): Promise<number> {
  const text = await page.evaluate<string>('document.querySelector("main").innerText');
  return Number((/([\d,]+) new/.exec(text)?.[1] ?? '0').replaceAll(',', ''));
}

export function judgeAnnounced(
  verdicts: Verdicts,
  who: string,
  count: number,
  announced: number,
): void {
  const figure = `share of ${count} new reports that ${who} announces`;
  // A report may arrive while the page is opened, and is then in its list.
  verdicts.add(figure, announced / count, 0.99, 'more');
}
