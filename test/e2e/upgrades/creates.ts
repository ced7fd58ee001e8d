import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';

const CALLERS = 4;

/** Creates reports until it is stopped, and remembers the acknowledged ones. */
export class Creates {
  readonly acknowledged: string[] = [];
  /** The error codes, or the statuses without one, and how often each came. */
  readonly refused = new Map<string, number>();
  readonly #url: string;
  readonly #token: string;
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#running = Promise.all(Array.from({ length: CALLERS }, (_, caller) => this.#run(caller)));
  }

  /** The calls in flight are complete afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(caller: number): Promise<void> {
    for (let call = 0; !this.#isStopped; call += 1) {
      const answer = await this.#create(`c${caller}-${call}.trial.com`).catch(() => undefined);
      if (typeof answer === 'string') this.#count(answer);
      // A server that refuses or is gone is asked again, but not all the time.
      if (answer !== true) await pause(20);
    }
  }

  /** Returns true, or why it was refused. */
  async #create(host: string): Promise<true | string> {
    const answer = await fetch(`${this.#url}/feed/ply/api`, {
      method: 'POST',
      headers: { authorization: this.#token, 'content-type': 'application/json' },
      body: JSON.stringify({ c2Address: `${host}:443`, file256Hash: sha256Of(host) }),
    });
    const { id } = (await answer.json()) as { readonly id?: string };
    if (answer.status !== 201 || id === undefined)
      return answer.headers.get('x-error-code') ?? String(answer.status);
    this.acknowledged.push(id);
    return true;
  }

  #count(reason: string): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }
}

/** The ids of all reports that TAXII shows. */
export async function idsInTaxii(url: string, token: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let next = ''; ; ) {
    const page = await fetch(
      `${url}/taxii2/feeds/collections/ply/objects/?limit=1000&match[type]=indicator${next}`,
      { headers: { authorization: token, accept: 'application/taxii+json;version=2.1' } },
    );
    const text = await page.text();
    for (const [, id] of text.matchAll(REPORT_ID)) if (id !== undefined) ids.add(id);
    const { more, next: cursor } = JSON.parse(text) as { more?: boolean; next?: string };
    if (more !== true) return ids;
    next = `&next=${encodeURIComponent(cursor ?? '')}`;
  }
}

/** In the external reference of an indicator. */
const REPORT_ID = /"external_id":"([0-9a-f-]{36})"/g;
