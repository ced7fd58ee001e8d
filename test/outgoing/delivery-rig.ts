import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { KnownLists } from '../../src/domain/lists/known-lists.ts';
import { formatWebhookSecret, WEBHOOK_EVENTS } from '../../src/domain/webhooks/webhook.ts';
import { serializers } from '../../src/http/responses/present.ts';
import { serializeExtended } from '../../src/http/responses/serialize-report.ts';
import {
  DeliveryRunner,
  type DeliveryRunnerDependencies,
} from '../../src/jobs/deliver-webhooks.ts';
import { createLog } from '../../src/observability/log.ts';
import { GuardedHttp } from '../../src/outgoing/guarded-http.ts';
import { createSealer } from '../../src/outgoing/sealed-secrets.ts';
import type { Delivery } from '../../src/ports/deliveries.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Webhook } from '../../src/ports/webhook-store.ts';
import { TestClock } from '../builders.ts';
import { openMemoryStoreAndQueue } from '../empty-store.ts';
import { ply } from '../fakes.ts';
import { FeedRig } from '../storage/contracts/feed-rig.ts';
import { newWebhook } from '../storage/contracts/store-contract.ts';
import { LOOPBACK, type Received } from './receiver.ts';

/** A runner that may send to this machine, and sends when it is woken. */
export function newDeliveryRunner(
  deps: Pick<DeliveryRunnerDependencies, 'store' | 'sealer' | 'now' | 'baseUrl'>,
  others: Partial<DeliveryRunnerDependencies> = {},
): DeliveryRunner {
  return new DeliveryRunner({
    ...deps,
    outgoing: new GuardedHttp(LOOPBACK),
    serializers: { extended: (report) => serializeExtended(report, { lists: new KnownLists() }) },
    log: createLog('silent'),
    random: () => 0,
    settled: () => undefined,
    ...others,
  });
}

/** A real store with one feed, a real client, and a runner that looks when the test says so. */
class DeliveryRig {
  readonly store: Store;
  readonly sealer = createSealer(Buffer.alloc(32, 1));
  readonly lines: string[] = [];
  readonly settled: string[] = [];
  readonly clock: TestClock;
  readonly runner: DeliveryRunner;
  readonly #feeds: FeedRig;

  constructor(test: TestContext, clock: TestClock, feeds: FeedRig) {
    this.#feeds = feeds;
    this.store = feeds.store;
    this.clock = clock;
    this.runner = this.newRunner();
    test.after(async () => {
      await this.runner.stop(0);
      await this.store.close();
    });
  }

  newRunner(store: Pick<Store, 'webhooks'> = this.store): DeliveryRunner {
    const { sealer, clock } = this;
    const baseUrl = () => 'https://feeds.example.invalid';
    return newDeliveryRunner(
      { store, sealer, now: clock.now, baseUrl },
      {
        outgoing: new GuardedHttp({ ...LOOPBACK, timeoutMs: 60_000 }),
        log: createLog('trace', { write: (line) => void this.lines.push(line) }),
        settled: (outcome) => this.settled.push(outcome),
      },
    );
  }

  get audit() {
    return { actor: 'test', at: this.clock.now() };
  }

  async hook(url: string, members: Partial<Webhook> = {}, secret = 1): Promise<Webhook> {
    const webhook = newWebhook('ply', await this.#feeds.account('ply'), {
      url,
      events: WEBHOOK_EVENTS,
      createdAt: this.clock.now(),
      ...members,
    });
    const sealed = this.sealer.seal(secretOf(secret), webhook.id);
    assert.equal(await this.store.webhooks.add(webhook, sealed, this.audit), 'added');
    return webhook;
  }

  /** Creates a report of a C2 of its own; its id. */
  async report(): Promise<string> {
    return (await this.#feeds.create('ply', { reportedAt: this.clock.now() })).id;
  }

  async remove(id: string): Promise<void> {
    const at = this.clock.now();
    assert.equal(await this.#feeds.delete({ service: 'ply', id }, at), 'deleted');
  }

  async acknowledge(id: string): Promise<void> {
    await this.#feeds.set({ service: 'ply', id }, 'acknowledged', this.clock.now());
  }

  /** Sends all due deliveries. */
  async send(afterMs = 0): Promise<void> {
    this.clock.advance(afterMs);
    this.runner.wake();
    await this.runner.idle();
  }

  async log({ id }: Webhook, state?: Delivery['state']): Promise<readonly Delivery[]> {
    const page = { limit: 100, before: undefined, state };
    const found = await this.store.webhooks.deliveries({ service: 'ply', id }, page);
    assert.ok(found !== 'absent');
    return found;
  }

  async found({ id }: Webhook): Promise<Webhook> {
    const webhook = await this.store.webhooks.find({ service: 'ply', id });
    assert.ok(webhook);
    return webhook;
  }
}

export async function openDeliveryRig(
  test: TestContext,
  clock = new TestClock(),
): Promise<DeliveryRig> {
  const { store } = openMemoryStoreAndQueue(serializers);
  await store.services.add(ply, { actor: 'test', at: clock.now() });
  return new DeliveryRig(test, clock, await FeedRig.in(store));
}

/** Verifiers go by the clock of the machine. */
export const realClock = () => new TestClock(new Date().toISOString());

/** The id of the key of the rig. */
export const { keyId: KEY_ID } = createSealer(Buffer.alloc(32, 1));

export const secretOf = (number: number) => Buffer.alloc(32, number);

export function verify({ body, headers }: Received, secret = 1): unknown {
  return new Verifier(formatWebhookSecret(secretOf(secret))).verify(
    body,
    headers as Record<string, string>,
  );
}

export const idOf = ({ headers }: Received) => headers['webhook-id'];
export const bodyOf = ({ body }: Received) => JSON.parse(body);
