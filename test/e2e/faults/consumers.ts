import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 200;
const MAX_BROKEN = 20;

/** What a complete response ends with. A truncated one must not look complete. */
const READS = [
  { path: '/feed/ply/changes?since=0&limit=1000', end: /"successful":true\}$/ },
  { path: '/feed/ply/export/ndjson', end: /\{"end":true,[^\n]*\}\n$/ },
  { path: '/feed/ply/export/csv', end: /# END rows=\d+ sha256=[0-9a-f]{64}\r?\n$/ },
  { path: '/feed/ply/export/stix', end: /\]\s*\}\s*$/ },
  { path: '/api/search?q=host1.example', end: /"successful":true\}$/ },
];

/** Reads whole feeds during a fault, as consumers do. */
export class Consumers {
  /** The number of complete responses. */
  served = 0;
  /** Responses that were refused or aborted. */
  refused = 0;
  readonly broken: string[] = [];
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(target: { readonly urls: readonly string[] }, token: string) {
    this.#running = Promise.all(
      READS.map(async ({ path, end }, index) => {
        for (let round = index; !this.#isStopped; round += 1) {
          await this.#read(`${target.urls[round % target.urls.length]}${path}`, token, end);
          await pause(EVERY_MS);
        }
      }),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #read(url: string, token: string, end: RegExp): Promise<void> {
    try {
      const answer = await fetch(url, { headers: { authorization: token } });
      const text = await answer.text();
      if (answer.status !== 200) this.refused += 1;
      else if (end.test(text)) this.served += 1;
      else if (this.broken.length < MAX_BROKEN)
        this.broken.push(`${new URL(url).pathname} ended with ${text.slice(-80)}`);
    } catch {
      // An aborted transfer.
      this.refused += 1;
    }
  }
}
