import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';
import { eventually } from '../../until.ts';
import { type Answer, sendRequest } from './send-request.ts';

interface Sent {
  readonly key: string;
  readonly body: string;
  /** The id in the response; `undefined` if none arrived. */
  id: string | undefined;
}

type Kind = 'create' | 'lookup' | 'upload';

/** The responses to the callers while faults were injected. */
export interface LoadResults {
  /** The reports, each with the id in its response. */
  readonly sent: readonly Sent[];
  /** Lookups that were answered, and spent one unit each. */
  served: number;
  /** Lookups without a complete response: they may or may not have spent a unit. */
  cutOff: number;
  /** Calls that were refused as unavailable, and must not have spent a unit. */
  refused: number;
  readonly refusedByKind: Record<Kind, number>;
  /** The hashes of the accepted samples. */
  readonly samples: Set<string>;
  /** The longest response time. */
  slowestMs: number;
  /** Each entry describes a broken promise. */
  readonly broken: string[];
}

/** The results as numbers. */
export interface Counts {
  readonly reports: number;
  readonly lookups: number;
  readonly samples: number;
  readonly refused: Readonly<LoadResults['refusedByKind']>;
}

export function countsOf({ sent, served, samples, refusedByKind }: LoadResults): Counts {
  return { reports: sent.length, lookups: served, samples: samples.size, refused: refusedByKind };
}

export interface LoadPlan {
  readonly creators?: number;
  readonly lookupCallers?: number;
  readonly uploadEveryMs?: number;
  readonly uploadBytes?: number;
}

const CREATORS = 6;
const LOOKUP_CALLERS = 6;
const UPLOAD_EVERY_MS = 500;
const UPLOAD_BYTES = 200_000;
const RETRY_MS = 20;
/** Requests must succeed again within this time after a fault, on a slow machine too. */
const RESUME_TIMEOUT_MS = 60_000;
/** Further broken promises are not recorded. */
const MAX_BROKEN = 20;

/**
 * Calls all nodes until it is stopped. A create is retried with its idempotency key until it is
 * acknowledged; a lookup is sent once, and counted by its outcome.
 */
export class Load {
  readonly results: LoadResults;
  readonly #target: { readonly urls: readonly string[] };
  readonly #token: string;
  readonly #running: Promise<unknown>;
  readonly #sent: Sent[] = [];
  #isStopped = false;
  #isTimedOut = false;

  constructor(target: { readonly urls: readonly string[] }, token: string, plan: LoadPlan = {}) {
    this.#target = target;
    this.#token = token;
    this.results = {
      sent: this.#sent,
      served: 0,
      cutOff: 0,
      refused: 0,
      refusedByKind: { create: 0, lookup: 0, upload: 0 },
      samples: new Set(),
      slowestMs: 0,
      broken: [],
    };
    const { creators = CREATORS, lookupCallers = LOOKUP_CALLERS } = plan;
    this.#running = Promise.all([
      ...Array.from({ length: creators }, () => this.#create()),
      ...Array.from({ length: lookupCallers }, () => this.#lookUp()),
      this.#upload(plan),
    ]);
  }

  /** Waits until every create is acknowledged, or the time limit is over. */
  async stop(): Promise<LoadResults> {
    this.#isStopped = true;
    const timeout = setTimeout(() => {
      this.#isTimedOut = true;
      this.results.broken.push('reports were never acknowledged');
    }, RESUME_TIMEOUT_MS);
    await this.#running;
    clearTimeout(timeout);
    return this.results;
  }

  /** The number of acknowledged reports. */
  get acknowledged(): number {
    return this.#sent.filter(({ id }) => id !== undefined).length;
  }

  /** The id of a random report, if it is acknowledged. */
  anyReport(): string | undefined {
    return this.#sent[Math.floor(Math.random() * this.#sent.length)]?.id;
  }

  /** Returns whether more reports are acknowledged and more lookups are served. */
  async makesProgress(): Promise<boolean> {
    const counts = () => [this.acknowledged, this.results.served] as const;
    const [reports, lookups] = counts();
    const hasMore = ([more, served]: ReturnType<typeof counts>) =>
      more >= reports + 20 && served >= lookups + 20;
    return hasMore(await eventually(async () => counts(), hasMore, RESUME_TIMEOUT_MS));
  }

  async #create(): Promise<void> {
    while (!this.#isStopped) {
      const number = this.#sent.length;
      const body = { c2Address: `host${number % 50}.example:${1 + (number % 1000)}` };
      const call: Sent = {
        key: randomUUID(),
        body: JSON.stringify({ ...body, file256Hash: sha256Of(`file ${number}`) }),
        id: undefined,
      };
      this.#sent.push(call);
      while (call.id === undefined && !this.#isTimedOut) call.id = await this.#send(call);
    }
  }

  async #send({ key, body }: Sent): Promise<string | undefined> {
    const answer = await this.#call('/feed/ply/api', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body,
    });
    if (answer?.status === 201) return String(answer.json['id']);
    this.#countRefusal('create', answer);
    await pause(RETRY_MS);
    return undefined;
  }

  async #lookUp(): Promise<void> {
    while (!this.#isStopped) {
      const answer = await this.#call(`/private/sample/${'0'.repeat(64)}`);
      if (answer?.status === 404) this.results.served += 1;
      else {
        if (answer === undefined) this.results.cutOff += 1;
        this.#countRefusal('lookup', answer);
        await pause(RETRY_MS);
      }
    }
  }

  async #upload({ uploadEveryMs = UPLOAD_EVERY_MS, uploadBytes = UPLOAD_BYTES }: LoadPlan) {
    while (!this.#isStopped) {
      const form = new FormData();
      form.set('file', new Blob([randomBytes(uploadBytes)]), 'a.bin');
      const answer = await this.#call('/private/upload', { method: 'POST', body: form });
      if (answer !== undefined && answer.status < 300)
        this.results.samples.add(String(answer.json['sha256Hash']));
      else this.#countRefusal('upload', answer);
      await pause(uploadEveryMs);
    }
  }

  async #call(path: string, call?: RequestInit): Promise<Answer | undefined> {
    const { urls } = this.#target;
    const startedAt = performance.now();
    const url = `${urls[Math.floor(Math.random() * urls.length)]}${path}`;
    const answer = await sendRequest(url, this.#token, call);
    this.results.slowestMs = Math.max(this.results.slowestMs, performance.now() - startedAt);
    return answer;
  }

  #countRefusal(kind: Kind, answer: Answer | undefined): void {
    if (answer === undefined) return;
    this.results.refused += 1;
    this.results.refusedByKind[kind] += 1;
    if (answer.flaw !== undefined && this.results.broken.length < MAX_BROKEN)
      this.results.broken.push(`the ${kind} got ${answer.flaw}`);
  }
}
