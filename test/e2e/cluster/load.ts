import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';
import { eventually } from '../../until.ts';
import { type Answer, ask } from './ask.ts';

interface Sent {
  readonly key: string;
  readonly body: string;
  /** What was answered, where an answer came. */
  id: string | undefined;
}

type Kind = 'create' | 'lookup' | 'upload';

/** What callers were told while everything around them was killed. */
export interface Told {
  /** Reports, each with the id that its caller was given. */
  readonly sent: readonly Sent[];
  /** Lookups that were answered with what is there, and so cost one unit. */
  served: number;
  /** Lookups that got no whole answer: whether they cost one is not known. */
  cutOff: number;
  /** Calls that were told to try again, and must not have cost anything. */
  refused: number;
  readonly refusedOf: Record<Kind, number>;
  /** Samples that were taken in. */
  readonly samples: Set<string>;
  /** The longest that an answer took to come. */
  slowestMs: number;
  /** Each one a broken promise. */
  readonly broken: string[];
}

/** How much of each there was. */
export interface Counts {
  readonly reports: number;
  readonly lookups: number;
  readonly samples: number;
  readonly refused: Readonly<Told['refusedOf']>;
}

export function countsOf({ sent, served, samples, refusedOf }: Told): Counts {
  return { reports: sent.length, lookups: served, samples: samples.size, refused: refusedOf };
}

export interface LoadPlan {
  readonly creators?: number;
  readonly lookers?: number;
  readonly uploadEveryMs?: number;
  readonly uploadBytes?: number;
}

const CREATORS = 6;
const LOOKERS = 6;
const UPLOAD_EVERY_MS = 500;
const UPLOAD_BYTES = 200_000;
const AGAIN_MS = 20;
/** Work must go on by itself within this, on a slow machine too. */
const RESUMED_MS = 60_000;
/** The first ones tell enough. */
const MOST_BROKEN = 20;

/**
 * Callers of all nodes, until they are stopped. Each report is sent until it is acknowledged,
 * always with its key; a lookup is asked once, and counted by what became of it.
 */
export class Load {
  readonly told: Told;
  readonly #target: { readonly urls: readonly string[] };
  readonly #token: string;
  readonly #running: Promise<unknown>;
  readonly #sent: Sent[] = [];
  #isStopped = false;
  #isGivenUp = false;

  constructor(target: { readonly urls: readonly string[] }, token: string, plan: LoadPlan = {}) {
    this.#target = target;
    this.#token = token;
    this.told = {
      sent: this.#sent,
      served: 0,
      cutOff: 0,
      refused: 0,
      refusedOf: { create: 0, lookup: 0, upload: 0 },
      samples: new Set(),
      slowestMs: 0,
      broken: [],
    };
    const { creators = CREATORS, lookers = LOOKERS } = plan;
    this.#running = Promise.all([
      ...Array.from({ length: creators }, () => this.#create()),
      ...Array.from({ length: lookers }, () => this.#lookUp()),
      this.#upload(plan),
    ]);
  }

  /** After every report that was begun is acknowledged; or never will be. */
  async stop(): Promise<Told> {
    this.#isStopped = true;
    const impatient = setTimeout(() => {
      this.#isGivenUp = true;
      this.told.broken.push('reports were never acknowledged');
    }, RESUMED_MS);
    await this.#running;
    clearTimeout(impatient);
    return this.told;
  }

  /** How many reports are acknowledged by now. */
  get acknowledged(): number {
    return this.#sent.filter(({ id }) => id !== undefined).length;
  }

  /** One of the reports that are acknowledged, at random. */
  anyReport(): string | undefined {
    return this.#sent[Math.floor(Math.random() * this.#sent.length)]?.id;
  }

  /** Whether more is acknowledged, and more lookups are served, without anybody's help. */
  async goesOn(): Promise<boolean> {
    const counts = () => [this.acknowledged, this.told.served] as const;
    const [reports, lookups] = counts();
    const isSo = ([more, served]: ReturnType<typeof counts>) =>
      more >= reports + 20 && served >= lookups + 20;
    return isSo(await eventually(async () => counts(), isSo, RESUMED_MS));
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
      while (call.id === undefined && !this.#isGivenUp) call.id = await this.#send(call);
    }
  }

  async #send({ key, body }: Sent): Promise<string | undefined> {
    const answer = await this.#ask('/feed/ply/api', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body,
    });
    if (answer?.status === 201) return String(answer.json['id']);
    this.#note('create', answer);
    await pause(AGAIN_MS);
    return undefined;
  }

  async #lookUp(): Promise<void> {
    while (!this.#isStopped) {
      const answer = await this.#ask(`/private/sample/${'0'.repeat(64)}`);
      if (answer?.status === 404) this.told.served += 1;
      else {
        if (answer === undefined) this.told.cutOff += 1;
        this.#note('lookup', answer);
        await pause(AGAIN_MS);
      }
    }
  }

  async #upload({ uploadEveryMs = UPLOAD_EVERY_MS, uploadBytes = UPLOAD_BYTES }: LoadPlan) {
    while (!this.#isStopped) {
      const form = new FormData();
      form.set('file', new Blob([randomBytes(uploadBytes)]), 'a.bin');
      const answer = await this.#ask('/private/upload', { method: 'POST', body: form });
      if (answer !== undefined && answer.status < 300)
        this.told.samples.add(String(answer.json['sha256Hash']));
      else this.#note('upload', answer);
      await pause(uploadEveryMs);
    }
  }

  async #ask(path: string, call?: RequestInit): Promise<Answer | undefined> {
    const { urls } = this.#target;
    const begun = performance.now();
    const url = `${urls[Math.floor(Math.random() * urls.length)]}${path}`;
    const answer = await ask(url, this.#token, call);
    this.told.slowestMs = Math.max(this.told.slowestMs, performance.now() - begun);
    return answer;
  }

  #note(kind: Kind, answer: Answer | undefined): void {
    if (answer === undefined) return;
    this.told.refused += 1;
    this.told.refusedOf[kind] += 1;
    if (answer.flaw !== undefined && this.told.broken.length < MOST_BROKEN)
      this.told.broken.push(`the ${kind} got ${answer.flaw}`);
  }
}
