import { RapsheetClient } from '../../../../src/client/client.ts';
import type { SampleState } from '../../../../src/client/wire.ts';
import { explain } from '../../text/explain.ts';
import { client } from '../client.ts';
import { hashFile } from './hash-file.ts';
import { progressFetch } from './progress-fetch.ts';

export interface UploadItem {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly step: 'waiting' | 'hashing' | 'sending' | 'analysing' | 'done' | 'failed';
  /** Of the present step: bytes hashed or sent. */
  readonly bytes: number;
  readonly sha256?: string;
  /** The server had it already, so it was not sent. */
  readonly isKnown?: boolean;
  /** Why it failed. */
  readonly problem?: string;
}

/** Files that are hashed, sent and analysed at a time. */
const PARALLEL = 3;
const POLL_MS = 700;

/** The uploads of this tab. They go on while other pages are shown. */
export class UploadQueue {
  readonly #watchers = new Set<() => void>();
  readonly #waiting: { readonly id: number; readonly file: File }[] = [];
  #items: readonly UploadItem[] = [];
  #running = 0;
  #lastId = 0;

  get items(): readonly UploadItem[] {
    return this.#items;
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  add(files: readonly File[]): void {
    const added = files.map((file): UploadItem => {
      this.#lastId += 1;
      this.#waiting.push({ id: this.#lastId, file });
      return { id: this.#lastId, name: file.name, sizeBytes: file.size, step: 'waiting', bytes: 0 };
    });
    this.#replace([...added.reverse(), ...this.#items]);
    this.#startMore();
  }

  clearEnded(): void {
    this.#replace(this.#items.filter(({ step }) => step !== 'done' && step !== 'failed'));
  }

  #startMore(): void {
    while (this.#running < PARALLEL) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      void this.#run(next.id, next.file).finally(() => {
        this.#running -= 1;
        this.#startMore();
      });
    }
  }

  async #run(id: number, file: File): Promise<void> {
    try {
      this.#update(id, { step: 'hashing', bytes: 0 });
      const sha256 = await hashFile(file, (bytes) => this.#update(id, { bytes }));
      this.#update(id, { sha256 });
      let state = await client.sampleStatus(sha256);
      if (state.status === 'unknown') {
        await this.#send(id, file);
        this.#update(id, { step: 'analysing', bytes: 0 });
      } else this.#update(id, { step: 'analysing', isKnown: true });
      state = await untilEnded(sha256);
      if (state.status === 'failed')
        this.#update(id, { step: 'failed', problem: state.reason ?? 'The analysis failed.' });
      else this.#update(id, { step: 'done' });
    } catch (error) {
      this.#update(id, { step: 'failed', problem: explain(error).text });
    }
  }

  async #send(id: number, file: File): Promise<void> {
    this.#update(id, { step: 'sending', bytes: 0 });
    const sender = new RapsheetClient({
      url: location.origin,
      sameOrigin: true,
      fetch: progressFetch((bytes) => this.#update(id, { bytes })),
    });
    await sender.upload(file, { fileName: file.name });
  }

  #update(id: number, change: Partial<UploadItem>): void {
    this.#replace(this.#items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  #replace(items: readonly UploadItem[]): void {
    this.#items = items;
    for (const watcher of this.#watchers) watcher();
  }
}

async function untilEnded(sha256: string): Promise<SampleState> {
  for (;;) {
    const state = await client.sampleStatus(sha256);
    if (state.status !== 'queued' && state.status !== 'running') return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export const uploads = new UploadQueue();
