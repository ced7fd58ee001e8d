import { setTimeout as pause } from 'node:timers/promises';
import type { Load } from '../cluster/load.ts';
import { sendRequest } from '../cluster/send-request.ts';

const READERS = 2;
const EVERY_MS = 10;
const MAX_BROKEN = 20;

/** Fetches acknowledged reports and lists the feed, which spends no units and writes nothing. */
export class Readers {
  /** The number of correct responses. */
  served = 0;
  /** The number of reads that were refused as unavailable. */
  refused = 0;
  readonly broken: string[] = [];
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(target: { readonly urls: readonly string[] }, token: string, load: Load) {
    const read = async () => {
      for (let round = 0; !this.#isStopped; round += 1) {
        const { urls } = target;
        const url = urls[round % urls.length] ?? '';
        const id = load.anyReport();
        if (id !== undefined) await this.#read(url, token, round % 2 === 0 ? id : undefined);
        await pause(EVERY_MS);
      }
    };
    this.#running = Promise.all(Array.from({ length: READERS }, read));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Reads the report, or a page of the feed. */
  async #read(url: string, token: string, id: string | undefined): Promise<void> {
    const path = id === undefined ? '/feed/ply/reports?limit=10' : `/feed/ply/api?report=${id}`;
    const answer = await sendRequest(`${url}${path}`, token);
    const text = JSON.stringify(answer?.json ?? {});
    if (answer?.status === 200 && text.includes(id ?? '"reports":[{')) this.served += 1;
    else if (answer?.flaw === undefined) this.refused += 1;
    else if (this.broken.length < MAX_BROKEN) this.broken.push(`a read got ${answer.flaw}`);
  }
}
