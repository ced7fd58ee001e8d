import { DAY_MS } from '../../domain/duration.ts';
import { type AttemptResult, judgeAttempt } from '../../domain/webhooks/webhook-retries.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { addWebhook } from '../../operations/webhooks/add-webhook.ts';
import type { LeasedDelivery } from '../../ports/webhook-store.ts';
import type { Outgoing } from '../../server/start-deliveries.ts';
import type { DemoHistory, Step } from './history.ts';
import type { SeededRandom } from './random.ts';

const ADDED_DAYS_AGO = 6;
/** One of the endpoints was removed by its operators since. */
const GONE_DAYS_AGO = 2;
const WORKING = 'https://hooks.ply.example/abuse-reports';
const GONE = 'https://tickets.ply.example/incoming';

/** The endpoints do not exist: their answers are invented, and nothing is sent. */
export class DemoWebhooks {
  readonly #history: DemoHistory;
  readonly #outgoing: Outgoing;
  readonly #random: SeededRandom;
  readonly #now: number;

  constructor(history: DemoHistory, outgoing: Outgoing, random: SeededRandom, now: number) {
    this.#history = history;
    this.#outgoing = outgoing;
    this.#random = random;
    this.#now = now;
  }

  steps(): Step[] {
    const at = this.#now - ADDED_DAYS_AGO * DAY_MS;
    return [{ at, run: (deps) => this.#add(deps) }];
  }

  /** Answers what is due at the time of the dependencies. */
  async deliver(deps: Dependencies): Promise<void> {
    const now = deps.now();
    if (this.#now - now.getTime() > ADDED_DAYS_AGO * DAY_MS) return;
    const { keyId } = this.#outgoing.sealer;
    const request = { limit: 50, perWebhook: 50, leaseMs: 60_000, now, keyId };
    for (const leased of await deps.store.webhooks.lease(request)) {
      const outcome = judgeAttempt({
        result: this.#answer(leased, now),
        attempts: leased.attempts,
        failingSince: leased.webhook.failingSince,
        now,
        chance: this.#random.next(),
      });
      await deps.store.webhooks.settle(leased, outcome);
      this.#history.counts.deliveries += 1;
    }
  }

  async #add(deps: Dependencies): Promise<void> {
    const service = await this.#history.service(deps, 'ply');
    const caller = await this.#history.caller(deps, 'ply-abuse');
    const tools = { ...deps, ...this.#outgoing, wakeDeliveries: () => {} };
    await addWebhook(tools, caller, service, { url: WORKING });
    await addWebhook(tools, caller, service, { url: GONE, format: 'cloudevents' });
  }

  /** The first attempt at some deliveries fails, and a later one succeeds. */
  #answer({ webhook, attempts }: LeasedDelivery, now: Date): AttemptResult {
    const daysAgo = (this.#now - now.getTime()) / DAY_MS;
    if (webhook.url === GONE && daysAgo < GONE_DAYS_AGO)
      return { status: 410, retryAfter: undefined };
    const isBusy = attempts === 1 && daysAgo > 0.5 && this.#random.chance(0.08);
    return { status: isBusy ? 503 : 204, retryAfter: undefined };
  }
}
