import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';
import type { TestClient } from './test-client.ts';

/** Returns a number below a limit, determined by a seed, so that a run can be repeated. */
export type SeededRandom = (below: number) => number;

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const STATUSES = [
  { status: 'acknowledged' },
  { status: 'actioned', reason: 'taken_down' },
  { status: 'rejected', reason: 'duplicate' },
  { status: 'open' },
];

/** Creates, updates and deletes reports at random. Retries each call until it gets a response. */
export class Writer {
  readonly #client: TestClient;
  readonly #services: readonly string[];
  readonly #random: SeededRandom;
  readonly #mine: { readonly service: string; readonly id: string }[] = [];
  done = 0;

  constructor(client: TestClient, services: readonly string[], random: SeededRandom) {
    this.#client = client;
    this.#services = services;
    this.#random = random;
  }

  async run(count: number): Promise<void> {
    for (; this.done < count; this.done += 1) await this.#write();
  }

  #write(): Promise<unknown> {
    const roll = this.#random(10);
    if (this.#mine.length === 0 || roll < 6) return this.#create();
    const index = this.#random(this.#mine.length);
    const target = this.#mine[index] ?? { service: '', id: '' };
    if (roll < 8) return this.#update(target);
    this.#mine.splice(index, 1);
    return this.#untilAnswered(() =>
      this.#client.send('DELETE', `/feed/${target.service}/api?report=${target.id}`, undefined),
    );
  }

  async #create(): Promise<void> {
    const service = this.#services[this.#random(this.#services.length)] ?? '';
    const key = randomUUID();
    const body = {
      c2Address: `host${this.#random(8)}.example.invalid:${1 + this.#random(3)}`,
      file256Hash: sha256Of(`file ${this.#random(20)}`),
      tags: [`tag${this.#random(4)}`],
    };
    const { json } = await this.#untilAnswered(() =>
      this.#client.send('POST', `/feed/${service}/api`, body, { 'idempotency-key': key }),
    );
    this.#mine.push({ service, id: String(json['id']) });
  }

  #update({ service, id }: { readonly service: string; readonly id: string }) {
    const change = STATUSES[this.#random(STATUSES.length)];
    return this.#untilAnswered(() =>
      this.#client.send('PATCH', `/feed/${service}/reports/${id}`, change),
    );
  }

  /** Retries until a killed server has been restarted. */
  async #untilAnswered(send: () => ReturnType<TestClient['send']>): ReturnType<TestClient['send']> {
    for (;;) {
      try {
        const answer = await send();
        if (answer.status < 500) return answer;
      } catch {
        // No response.
      }
      await pause(20);
    }
  }
}
