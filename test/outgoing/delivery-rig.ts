import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { formatUuidV7 } from '../../src/domain/uuid.ts';
import { formatWebhookSecret, WEBHOOK_EVENTS } from '../../src/domain/webhooks/webhook.ts';
import { serializers } from '../../src/http/responses/present.ts';
import { serializeExtended } from '../../src/http/responses/serialize-report.ts';
import { DeliveryRunner } from '../../src/jobs/deliver-webhooks.ts';
import { createLog } from '../../src/observability/log.ts';
import { GuardedHttp } from '../../src/outgoing/guarded-http.ts';
import { createSealer } from '../../src/outgoing/sealed-secrets.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Delivery, Webhook } from '../../src/ports/webhook-store.ts';
import { sha256Of, TestClock, testRandom } from '../builders.ts';
import { openMemoryStoreAndQueue } from '../empty-store.ts';
import { LOOPBACK, type Received } from './receiver.ts';

/** A real store with one feed, a real client, and a runner that looks when the test says so. */
class DeliveryRig {
  readonly store = openMemoryStoreAndQueue(serializers).store;
  readonly sealer = createSealer(Buffer.alloc(32, 1));
  readonly lines: string[] = [];
  readonly settled: string[] = [];
  readonly clock: TestClock;
  readonly runner: DeliveryRunner;
  readonly #random = testRandom();

  constructor(test: TestContext, clock: TestClock) {
    this.clock = clock;
    this.runner = this.newRunner();
    test.after(async () => {
      await this.runner.stop(0);
      await this.store.close();
    });
  }

  newRunner(store: Pick<Store, 'webhooks'> = this.store): DeliveryRunner {
    return new DeliveryRunner({
      store,
      outgoing: new GuardedHttp({ ...LOOPBACK, timeoutMs: 60_000 }),
      sealer: this.sealer,
      serializers: { extended: (report) => serializeExtended(report) },
      log: createLog('trace', { write: (line) => void this.lines.push(line) }),
      now: this.clock.now,
      random: () => 0,
      baseUrl: () => 'https://feeds.example.invalid',
      settled: (outcome) => this.settled.push(outcome),
    });
  }

  get audit() {
    return { actor: 'test', at: this.clock.now() };
  }

  async fill(): Promise<void> {
    await this.store.services.add(
      {
        slug: 'ply',
        name: 'Ply',
        confidenceScale: 100,
        hosts: [],
        networks: [],
        expireAfterDays: 90,
        createdAt: this.clock.now(),
      },
      this.audit,
    );
    await this.store.accounts.addFirst(
      {
        id: 'a1',
        name: 'alice',
        roles: ['researcher'],
        services: ['ply'],
        quota: { limit: null, period: 'none' },
        expiresAt: undefined,
      },
      { id: 't1', digest: Buffer.alloc(32), hint: '', label: '', expiresAt: undefined },
      this.audit,
    );
  }

  newId(): string {
    return formatUuidV7(this.clock.now(), this.#random(10));
  }

  async hook(url: string, members: Partial<Webhook> = {}, secret = 1): Promise<Webhook> {
    const webhook: Webhook = {
      id: this.newId(),
      service: 'ply',
      url,
      events: WEBHOOK_EVENTS,
      format: 'standard',
      createdBy: 'alice',
      createdAt: this.clock.now(),
      owner: {
        accountId: 'a1',
        name: 'alice',
        disabled: false,
        expiresAt: undefined,
        ownsFeed: true,
      },
      disabledAt: undefined,
      disabledReason: undefined,
      failingSince: undefined,
      ...members,
    };
    const sealed = this.sealer.seal(secretOf(secret), webhook.id);
    assert.equal(await this.store.webhooks.add(webhook, sealed, this.audit), 'added');
    return webhook;
  }

  /** Creates a report of a C2 of its own; its id. */
  async report(): Promise<string> {
    const id = this.newId();
    const created = await this.store.reports.create({
      id,
      service: 'ply',
      tags: ['rat'],
      c2: { host: `h-${id}.example.invalid`, port: 443 },
      sha256: sha256Of(id),
      reference: 'https://research.example.invalid/',
      confidence: 50,
      reporterId: 'a1',
      reportedBy: 'alice',
      reportedAt: this.clock.now(),
      retry: undefined,
    });
    assert.equal(created.kind, 'created');
    return id;
  }

  async remove(id: string): Promise<void> {
    const by = { accountId: 'a1', ownsFeed: true };
    const deletion = { id, by: 'alice', at: this.clock.now(), reason: '' };
    assert.equal(await this.store.reports.delete('ply', by, deletion), 'deleted');
  }

  async acknowledge(id: string): Promise<void> {
    const change = { status: 'acknowledged', reason: undefined, note: undefined } as const;
    await this.store.feeds.setStatus(
      { service: 'ply', ids: [id], limit: 1 },
      { ...change, accountId: 'a1', actor: 'alice', at: this.clock.now() },
    );
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
  const rig = new DeliveryRig(test, clock);
  await rig.fill();
  return rig;
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
