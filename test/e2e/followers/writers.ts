import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';
import type { Site } from './site.ts';

/** Chance that a seed decides, so that a run can be repeated. */
export type Chance = (below: number) => number;

export function chanceOf(seed: number): Chance {
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

/**
 * Creates, answers and deletes reports at random. What gets no answer is tried again until it does.
 */
export class Writer {
  readonly #site: Site;
  readonly #services: readonly string[];
  readonly #chance: Chance;
  readonly #mine: { readonly service: string; readonly id: string }[] = [];
  done = 0;

  constructor(site: Site, services: readonly string[], chance: Chance) {
    this.#site = site;
    this.#services = services;
    this.#chance = chance;
  }

  async run(count: number): Promise<void> {
    for (; this.done < count; this.done += 1) await this.#write();
  }

  #write(): Promise<unknown> {
    const dice = this.#chance(10);
    if (this.#mine.length === 0 || dice < 6) return this.#create();
    const index = this.#chance(this.#mine.length);
    const target = this.#mine[index] ?? { service: '', id: '' };
    if (dice < 8) return this.#answer(target);
    this.#mine.splice(index, 1);
    return this.#untilAnswered(() =>
      this.#site.send('DELETE', `/feed/${target.service}/api?report=${target.id}`, undefined),
    );
  }

  async #create(): Promise<void> {
    const service = this.#services[this.#chance(this.#services.length)] ?? '';
    const key = randomUUID();
    const body = {
      c2Address: `host${this.#chance(8)}.example.invalid:${1 + this.#chance(3)}`,
      file256Hash: sha256Of(`file ${this.#chance(20)}`),
      tags: [`tag${this.#chance(4)}`],
    };
    const { json } = await this.#untilAnswered(() =>
      this.#site.send('POST', `/feed/${service}/api`, body, { 'idempotency-key': key }),
    );
    this.#mine.push({ service, id: String(json['id']) });
  }

  #answer({ service, id }: { readonly service: string; readonly id: string }) {
    const answer = STATUSES[this.#chance(STATUSES.length)];
    return this.#untilAnswered(() =>
      this.#site.send('PATCH', `/feed/${service}/reports/${id}`, answer),
    );
  }

  /** A server that was killed answers again a moment later. */
  async #untilAnswered(send: () => ReturnType<Site['send']>): ReturnType<Site['send']> {
    for (;;) {
      try {
        const answer = await send();
        if (answer.status < 500) return answer;
      } catch {
        // No answer came.
      }
      await pause(20);
    }
  }
}
