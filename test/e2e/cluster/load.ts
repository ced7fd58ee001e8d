import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';
import type { Cluster } from './cluster.ts';

interface Sent {
  readonly key: string;
  readonly body: string;
  /** What was answered, where an answer came. */
  id: string | undefined;
}

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
  /** Samples that were taken in. */
  readonly samples: Set<string>;
  /** Each one a broken promise. */
  readonly broken: string[];
}

const CREATORS = 6;
const LOOKERS = 6;
const AGAIN_MS = 20;

/**
 * Callers of all nodes, until they are stopped. Each report is sent until it is acknowledged, always with its key; a
 * lookup is asked once, and counted by what became of it.
 */
export class Load {
  readonly told: Told;
  readonly #cluster: Cluster;
  readonly #token: string;
  readonly #running: Promise<unknown>;
  readonly #sent: Sent[] = [];
  #isStopped = false;

  constructor(cluster: Cluster, token: string) {
    this.#cluster = cluster;
    this.#token = token;
    this.told = {
      sent: this.#sent,
      served: 0,
      cutOff: 0,
      refused: 0,
      samples: new Set(),
      broken: [],
    };
    this.#running = Promise.all([
      ...Array.from({ length: CREATORS }, () => this.#create()),
      ...Array.from({ length: LOOKERS }, () => this.#lookUp()),
      this.#upload(),
    ]);
  }

  /** After every report that was begun is acknowledged. */
  async stop(): Promise<Told> {
    this.#isStopped = true;
    await this.#running;
    return this.told;
  }

  /** How many reports are acknowledged by now. */
  get acknowledged(): number {
    return this.#sent.filter(({ id }) => id !== undefined).length;
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
      while (call.id === undefined) call.id = await this.#send(call);
    }
  }

  async #send({ key, body }: Sent): Promise<string | undefined> {
    const answer = await this.#ask('/feed/ply/api', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body,
    });
    if (answer?.status === 201) return String(answer.json['id']);
    this.#note('a create', answer);
    await pause(AGAIN_MS);
    return undefined;
  }

  async #lookUp(): Promise<void> {
    while (!this.#isStopped) {
      const answer = await this.#ask(`/private/sample/${'0'.repeat(64)}`, {});
      if (answer?.status === 404) this.told.served += 1;
      else {
        if (answer === undefined) this.told.cutOff += 1;
        this.#note('a lookup', answer);
        await pause(AGAIN_MS);
      }
    }
  }

  async #upload(): Promise<void> {
    while (!this.#isStopped) {
      const form = new FormData();
      form.set('file', new Blob([randomBytes(200_000)]), 'a.bin');
      const answer = await this.#ask('/private/upload', { method: 'POST', body: form });
      if (answer !== undefined && answer.status < 300)
        this.told.samples.add(String(answer.json['sha256Hash']));
      else this.#note('an upload', answer);
      await pause(500);
    }
  }

  /** `undefined` where the answer did not come, or not whole. */
  async #ask(path: string, call: RequestInit) {
    const { urls } = this.#cluster;
    const url = urls[Math.floor(Math.random() * urls.length)];
    try {
      const headers = { ...call.headers, authorization: this.#token };
      const answer = await fetch(`${url}${path}`, { ...call, headers });
      return {
        status: answer.status,
        json: (await answer.json()) as Readonly<Record<string, unknown>>,
      };
    } catch {
      return undefined;
    }
  }

  #note(what: string, answer: { readonly status: number; readonly json: unknown } | undefined) {
    if (answer === undefined) return;
    this.told.refused += 1;
    if (answer.status !== 503)
      this.told.broken.push(`${what} got ${answer.status}: ${JSON.stringify(answer.json)}`);
  }
}
