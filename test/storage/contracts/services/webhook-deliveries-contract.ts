import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import { WEBHOOK_EVENTS } from '../../../../src/domain/webhooks/webhook.ts';
import { createLog } from '../../../../src/observability/log.ts';
import {
  findUnreadable,
  identifySecrets,
} from '../../../../src/operations/webhooks/check-secrets.ts';
import { createSealer } from '../../../../src/outgoing/sealed-secrets.ts';
import type { Delivery } from '../../../../src/ports/deliveries.ts';
import type { SealedSecret } from '../../../../src/ports/outgoing.ts';
import type { Store } from '../../../../src/ports/store.ts';
import type { WebhookKey } from '../../../../src/ports/webhook-store.ts';
import { TestClock } from '../../../builders.ts';
import { newDeliveryRunner } from '../../../outgoing/delivery-rig.ts';
import { answerWith, openReceiver, type Received } from '../../../outgoing/receiver.ts';
import { FeedRig, later } from '../feed-rig.ts';
import { audit, NOW, newWebhook } from '../store-contract.ts';

const MINUTE_MS = 60_000;

/** Which deliveries are sent after others failed, and with which key. */
export function webhookDeliveriesContract(name: string, open: () => Promise<Store>): void {
  describe(`deliveries of webhooks on ${name}`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    /** A key of its own for each test, so that no test sends the deliveries of another. */
    const newSealer = () => createSealer(randomBytes(32));

    async function hook(
      service: string,
      secretOf: (id: string) => SealedSecret,
      url = 'https://desk.example/hook',
    ): Promise<WebhookKey> {
      const owner = await rig.account(service);
      const webhook = newWebhook(service, owner, { url, events: WEBHOOK_EVENTS });
      assert.equal(await store.webhooks.add(webhook, secretOf(webhook.id), audit), 'added');
      return { service, id: webhook.id };
    }

    const countOf = async (key: WebhookKey, state: Delivery['state']) => {
      const found = await store.webhooks.deliveries(key, { limit: 200, before: undefined, state });
      return found === 'absent' ? assert.fail() : found.length;
    };
    const report = async (service: string, count: number) => {
      await store.feeds.createMany(Array.from({ length: count }, () => rig.report(service)));
    };

    async function openWebhook(test: TestContext) {
      const [sealer, receiver, clock] = [newSealer(), await openReceiver(test), new TestClock()];
      const lines: string[] = [];
      const service = await rig.service();
      const key = await hook(service, (id) => sealer.seal(Buffer.alloc(32, 1), id), receiver.url());
      const log = createLog('info', { write: (line) => void lines.push(line) });
      const baseUrl = () => 'https://feeds.example';
      const serializers = { extended: () => '{}' };
      const runner = newDeliveryRunner(
        { store, sealer, now: clock.now, baseUrl },
        { log, serializers },
      );
      test.after(() => runner.stop(0));
      const send = async (afterMs = 0) => {
        clock.advance(afterMs);
        runner.wake();
        await runner.idle();
      };
      return { receiver, service, key, lines, send };
    }

    const sequenceOf = ({ headers }: Received) => Number(headers['rapsheet-sequence']);
    const rejecting =
      (...sequences: readonly number[]) =>
      (response: Parameters<ReturnType<typeof answerWith>>[0], received: Received) =>
        answerWith(sequences.includes(sequenceOf(received)) ? 500 : 204)(response, received);

    it('are not delayed by one that the endpoint rejects, which is retried on its own', async (test) => {
      const { receiver, service, key, send } = await openWebhook(test);
      receiver.answer = rejecting(5);
      await report(service, 61);
      await send();
      assert.equal(await countOf(key, 'delivered'), 60);
      // Alone, without a success in between, its retries pause nothing either.
      await send(5000);
      await send(5 * MINUTE_MS);
      assert.equal(receiver.received.filter((one) => sequenceOf(one) === 5).length, 3);
      await report(service, 1);
      await send();
      assert.equal(await countOf(key, 'delivered'), 61);
      receiver.answer = answerWith(204);
      await send(30 * MINUTE_MS);
      assert.equal(await countOf(key, 'waiting'), 0);
    });

    it('are not delayed by the retries of several that the endpoint rejects', async (test) => {
      const { receiver, service, key, send } = await openWebhook(test);
      receiver.answer = rejecting(2, 12, 22, 32);
      await report(service, 40);
      await send();
      assert.equal(await countOf(key, 'delivered'), 36);
      await report(service, 10);
      await send(5000);
      assert.equal(await countOf(key, 'delivered'), 46);
    });

    it('pause if the endpoint rejects all', async (test) => {
      const { receiver, service, key, lines, send } = await openWebhook(test);
      receiver.answer = answerWith(500);
      await report(service, 20);
      await send();
      assert.ok(receiver.received.length <= 3, `${receiver.received.length} attempts`);
      await send(4000);
      assert.ok(receiver.received.length <= 3, `${receiver.received.length} attempts`);
      for (let minute = 0; minute < 30; minute += 1) await send(MINUTE_MS);
      const attempts = receiver.received.length;
      assert.ok(attempts < 50, `${attempts} attempts in half an hour`);
      const logged = lines.map((line) => JSON.parse(line));
      assert.ok(logged.length >= 3 && logged.length <= 5, `${logged.length} warnings`);
      assert.partialDeepStrictEqual(logged[0], {
        level: 40,
        webhook: key.id,
        service,
        attempt: 1,
        status: 500,
        error: 'The endpoint answered 500.',
        nextAttempt: later(5000).toISOString(),
      });
      assert.ok(logged[1].unlogged > 0);
      assert.ok(lines.every((line) => !line.includes('127.0.0.1')));
      receiver.answer = answerWith(204);
      for (let hour = 0; hour < 3; hour += 1) await send(60 * MINUTE_MS);
      assert.equal(await countOf(key, 'delivered'), 20);
    });

    it('wait if another key encrypted the secret, and are leased with that key', async () => {
      const [mine, other] = [newSealer(), newSealer()];
      const service = await rig.service();
      const key = await hook(service, (id) => other.seal(Buffer.alloc(32), id));
      await report(service, 1);
      const request = { limit: 10, perWebhook: 2, leaseMs: MINUTE_MS, now: later(1000) };
      const lease = ({ keyId }: SealedSecret | typeof mine) =>
        store.webhooks.lease({ ...request, keyId });
      assert.deepEqual(await lease(mine), []);
      const [leased] = await lease(other);
      assert.deepEqual([leased?.webhookId, leased?.attempts], [key.id, 1]);
      await store.webhooks.settle(leased ?? assert.fail(), { kind: 'released' });
      // A new secret, made with the key of this process, ends the wait.
      await store.webhooks.rotate(key, mine.seal(Buffer.alloc(32), key.id), later(1000), audit);
      assert.equal((await lease(mine)).length, 1);
      const { webhooks } = await findUnreadable({ store }, mine);
      assert.ok(!webhooks.some(({ id }) => id === key.id));
    });

    it('that wait for a key are deleted after the time of dead ones', async () => {
      const [mine, other] = [newSealer(), newSealer()];
      const service = await rig.service();
      const key = await hook(service, (id) => other.seal(Buffer.alloc(32), id));
      await report(service, 1);
      const forget = (deadBefore: Date, keyId: string) =>
        store.webhooks.deleteOldDeliveries({
          now: later(MINUTE_MS),
          deliveredBefore: NOW,
          deadBefore,
          limit: 100,
          keyId,
        });
      await forget(NOW, mine.keyId);
      await forget(later(1000), other.keyId);
      assert.equal(await countOf(key, 'waiting'), 1);
      await forget(later(1000), mine.keyId);
      assert.equal(await countOf(key, 'waiting'), 0);
    });

    it('name the webhooks of other keys, removed ones excepted', async () => {
      const [mine, other] = [newSealer(), newSealer()];
      const service = await rig.service();
      const sealedBy = (sealer: typeof mine) => (id: string) => sealer.seal(Buffer.alloc(32), id);
      const own = await hook(service, sealedBy(mine));
      const foreign = await hook(service, sealedBy(other));
      const removed = await hook(service, sealedBy(other));
      await store.webhooks.remove(removed, audit);
      const found = await store.webhooks.ofOtherKeys(mine.keyId, 1000);
      const here = found.filter((one) => one.service === service);
      assert.deepEqual(here, [foreign]);
      assert.ok((await store.webhooks.ofOtherKeys('', 1000)).some(({ id }) => id === own.id));
      assert.equal((await store.webhooks.ofOtherKeys(mine.keyId, 1)).length, 1);
    });

    it('determine the key of older secrets by opening them', async () => {
      const mine = newSealer();
      const service = await rig.service();
      const older = (sealer: typeof mine) => (id: string) => ({
        ...sealer.seal(Buffer.alloc(32), id),
        keyId: '',
      });
      const readable = await hook(service, older(mine));
      const foreign = await hook(service, older(newSealer()));
      const unidentified = async () =>
        (await store.webhooks.unidentifiedSecrets(undefined, 1000)).map(({ id }) => id);
      assert.deepEqual((await unidentified()).sort(), [readable.id, foreign.id].sort());
      const before = await findUnreadable({ store }, mine);
      assert.ok(before.webhooks.some(({ id }) => id === foreign.id));
      assert.ok(!before.webhooks.some(({ id }) => id === readable.id));
      await identifySecrets({ store }, mine);
      assert.deepEqual(await unidentified(), [foreign.id]);
      const after = await findUnreadable({ store }, undefined);
      assert.equal(after.webhooks.length + Number(after.hasMore) > 2, true);
      await store.webhooks.remove(foreign, audit);
    });

    it('tell with which key the store was opened before', async () => {
      const [one, other] = [newSealer().keyId, newSealer().keyId];
      await store.webhooks.recordKey(one);
      assert.equal(await store.webhooks.recordKey(other), one);
      assert.equal(await store.webhooks.recordKey(other), other);
    });
  });
}
