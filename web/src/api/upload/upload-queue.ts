import { RapsheetClient } from '../../../../src/client/client.ts';
import { RapsheetError } from '../../../../src/client/error.ts';
import type { SampleState } from '../../../../src/client/wire.ts';
import { explain } from '../../text/explain.ts';
import { client } from '../client.ts';
import { keepUpload } from '../kept/uploads.ts';
import { queryClient } from '../query-client.ts';
import { sessionQuery } from '../session.ts';
import { noticingSessionEnd } from '../session-end.ts';
import { Store } from '../store.ts';
import { hashFile } from './hash-file.ts';
import { progressFetch } from './progress-fetch.ts';

export interface UploadItem {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly step: 'waiting' | 'hashing' | 'sending' | 'analysing' | 'done' | 'failed' | 'cancelled';
  /** Bytes hashed or sent in the present step. */
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
const PROGRESS_STEPS = 100;

interface WaitingFile {
  readonly id: number;
  readonly file: File;
  /** Sends the file even if the server has it. */
  readonly isSentAnyway?: boolean;
}

/** The uploads of this tab. They go on while other pages are shown. */
class UploadQueue {
  readonly items = new Store<readonly UploadItem[]>([]);
  readonly #waiting: WaitingFile[] = [];
  /** Files that the server had already, kept so that they can be sent nevertheless. */
  readonly #known = new Map<number, File>();
  /** The controllers of the uploads that have not ended. */
  readonly #cancels = new Map<number, AbortController>();
  #running = 0;
  #lastId = 0;

  /** Whether closing the tab would lose uploads. Files that were sent are analysed without it. */
  get isBusy(): boolean {
    return this.items.value.some(({ step }) => step !== 'analysing' && !hasEnded(step));
  }

  add(files: readonly File[]): void {
    const added = files.map((file): UploadItem => {
      this.#lastId += 1;
      this.#waiting.push({ id: this.#lastId, file });
      this.#cancels.set(this.#lastId, new AbortController());
      return {
        id: this.#lastId,
        name: nameOf(file),
        sizeBytes: file.size,
        step: 'waiting',
        bytes: 0,
      };
    });
    this.items.set([...added.reverse(), ...this.items.value]);
    this.#startMore();
  }

  /** Sends a file that the server had: reports are proposed to those who send it. */
  send(id: number): void {
    const file = this.#known.get(id);
    if (file === undefined || !this.#known.delete(id)) return;
    this.#cancels.set(id, new AbortController());
    this.#update(id, { step: 'waiting', bytes: 0, isKnown: false });
    this.#waiting.push({ id, file, isSentAnyway: true });
    this.#startMore();
  }

  clearEnded(): void {
    for (const { id, step } of this.items.value) if (hasEnded(step)) this.#known.delete(id);
    this.items.set(this.items.value.filter(({ step }) => !hasEnded(step)));
  }

  /** Stops hashing and sending. A file that was sent is still analysed. */
  cancel(id: number): void {
    const index = this.#waiting.findIndex((one) => one.id === id);
    if (index !== -1) this.#waiting.splice(index, 1);
    this.#cancels.get(id)?.abort();
    this.#end(id, { step: 'cancelled' });
  }

  cancelAll(): void {
    for (const id of [...this.#cancels.keys()]) this.cancel(id);
  }

  #startMore(): void {
    while (this.#running < PARALLEL) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      void this.#run(next).finally(() => {
        this.#running -= 1;
        this.#startMore();
      });
    }
  }

  async #run({ id, file, isSentAnyway = false }: WaitingFile): Promise<void> {
    const cancelled = this.#cancels.get(id)?.signal ?? AbortSignal.abort();
    try {
      this.#update(id, { step: 'hashing', bytes: 0 });
      const sha256 = await hashFile(file, (bytes) => this.#progress(id, bytes));
      if (cancelled.aborted) return;
      this.#update(id, { sha256 });
      let state = await client.sampleStatus(sha256);
      if (state.status === 'unknown' || isSentAnyway) {
        await this.#send(id, file, cancelled);
        this.#update(id, { step: 'analysing', bytes: 0 });
      } else {
        this.#known.set(id, file);
        this.#update(id, { step: 'analysing', isKnown: true });
      }
      await keep(file, sha256);
      state = await untilEnded(sha256, cancelled);
      if (state.status === 'failed')
        this.#end(id, { step: 'failed', problem: state.reason ?? 'The analysis failed.' });
      else this.#end(id, { step: 'done' });
    } catch (error) {
      this.#end(id, { step: 'failed', problem: problemOf(error) });
    }
  }

  async #send(id: number, file: File, cancelled: AbortSignal): Promise<void> {
    this.#update(id, { step: 'sending', bytes: 0 });
    const sender = new RapsheetClient({
      url: location.origin,
      sameOrigin: true,
      fetch: noticingSessionEnd(progressFetch((bytes) => this.#progress(id, bytes), cancelled)),
      // The server may close the connection on a file that it refuses.
      retries: 1,
    });
    await sender.upload(file, { fileName: file.name });
  }

  /** Updates in steps of one percent: a large file makes thousands of progress events. */
  #progress(id: number, bytes: number): void {
    const item = this.items.value.find((one) => one.id === id);
    if (item === undefined || hasEnded(item.step)) return;
    if (bytes < item.sizeBytes && bytes - item.bytes < item.sizeBytes / PROGRESS_STEPS) return;
    this.#update(id, { bytes });
  }

  /** Sets the last step, unless the upload was cancelled. */
  #end(id: number, change: Partial<UploadItem>): void {
    if (this.#cancels.delete(id)) this.#update(id, change);
  }

  #update(id: number, change: Partial<UploadItem>): void {
    this.items.set(
      this.items.value.map((item) => (item.id === id ? { ...item, ...change } : item)),
    );
  }
}

/** The name, with the path if a folder was chosen. */
function nameOf(file: File): string {
  return file.webkitRelativePath === '' ? file.name : file.webkitRelativePath;
}

async function keep(file: File, sha256: string): Promise<void> {
  const account = queryClient.getQueryData(sessionQuery.queryKey)?.id;
  if (account === undefined) return;
  await keepUpload(account, { sha256, name: nameOf(file), sizeBytes: file.size });
}

export function hasEnded(step: UploadItem['step']): boolean {
  return step === 'done' || step === 'failed' || step === 'cancelled';
}

function problemOf(error: unknown): string {
  if (error instanceof Error && !(error instanceof RapsheetError) && error.message !== '')
    return error.message;
  const { title, text } = explain(error);
  return error instanceof RapsheetError && error.status === undefined
    ? `${title}. It may refuse files of this size.`
    : text;
}

async function untilEnded(sha256: string, cancelled: AbortSignal): Promise<SampleState> {
  for (;;) {
    const state = await client.sampleStatus(sha256);
    if (cancelled.aborted) return state;
    if (state.status !== 'queued' && state.status !== 'running') return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export const uploads = new UploadQueue();

// The browser asks before closing a tab that is still hashing or sending.
addEventListener('beforeunload', (event) => {
  if (uploads.isBusy) event.preventDefault();
});
