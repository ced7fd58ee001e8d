import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { HTTP } from 'cloudevents';
import {
  bodyOf,
  idOf,
  KEY_ID,
  openDeliveryRig,
  realClock,
  secretOf,
  verify,
} from '../../test/outgoing/delivery-rig.ts';
import { answerWith, LOOPBACK, openReceiver, type Received } from '../../test/outgoing/receiver.ts';
import { until } from '../../test/until.ts';
import { GuardedHttp } from '../outgoing/guarded-http.ts';
import type { LeasedDelivery } from '../ports/webhook-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LEASE = { limit: 10, perWebhook: 2, leaseMs: MINUTE, keyId: KEY_ID };

describe('the delivery of webhooks', () => {
  it('sends every change, signed, in the format of the webhook', async (test) => {
    const rig = await openDeliveryRig(test, realClock());
    const receiver = await openReceiver(test);
    await rig.hook(receiver.url());
    const id = await rig.report();
    await rig.send();
    await rig.acknowledge(id);
    await rig.send();
    await rig.remove(id);
    await rig.send();
    const [created, updated, deleted] = receiver.received.map((received) => verify(received));
    const report = await rig.store.reports.find('ply', id);
    assert.equal(report, undefined);
    assert.partialDeepStrictEqual(created, {
      type: 'report.created',
      sequence: 1,
      data: { id, service: 'ply', sequence: 1, status: 'open', confidenceScore: 50 },
    });
    assert.partialDeepStrictEqual(updated, {
      type: 'report.updated',
      sequence: 2,
      data: { id, sequence: 2, status: 'acknowledged' },
    });
    const { data } = deleted as { data: Record<string, unknown> };
    assert.deepEqual(Object.keys(data), ['id', 'service', 'sequence', 'deletedAt']);
    assert.equal(new Set(receiver.received.map(idOf)).size, 3);
    const { headers } = receiver.received[2] as Received;
    assert.deepEqual(
      [headers['rapsheet-event'], headers['rapsheet-sequence'], headers['rapsheet-service']],
      ['report.deleted', '3', 'ply'],
    );
  });

  it('reports the outcome of each attempt', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    await rig.hook(receiver.url());
    receiver.answer = answerWith(500);
    await rig.report();
    await rig.send();
    receiver.answer = answerWith(204);
    await rig.send(3_600_000);
    receiver.answer = answerWith(410);
    await rig.report();
    await rig.send();
    assert.deepEqual(rig.settled, ['again', 'delivered', 'dead']);
  });

  it('sends CloudEvents and bare reports', async (test) => {
    const rig = await openDeliveryRig(test, realClock());
    const [events, bare] = [await openReceiver(test), await openReceiver(test)];
    await rig.hook(events.url(), { format: 'cloudevents' });
    await rig.hook(bare.url(), { format: 'report' });
    const id = await rig.report();
    await rig.send();
    const [received] = events.received;
    assert.ok(received);
    verify(received);
    const event = HTTP.toEvent({ headers: received.headers as never, body: received.body });
    assert.ok(!Array.isArray(event));
    assert.deepEqual(
      [event.id, event.source, event.subject],
      [idOf(received), 'https://feeds.example.invalid/feed/ply', id],
    );
    const body = verify(bare.received[0] as Received) as object;
    assert.equal(Object.keys(body).length, 10, 'the ten fields');
  });

  it('sends only the events of the webhook, and none from before it was added', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const id = await rig.report();
    await rig.hook(receiver.url(), { events: ['report.deleted'] });
    await rig.report();
    await rig.remove(id);
    await rig.send();
    assert.deepEqual(
      receiver.received.map((one) => bodyOf(one).type),
      ['report.deleted'],
    );
  });

  it('sends a change without data if its report was deleted since', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    await rig.hook(receiver.url());
    const id = await rig.report();
    await rig.remove(id);
    await rig.send();
    const bodies = receiver.received.map(bodyOf).sort((a, b) => a.sequence - b.sequence);
    assert.deepEqual(bodies[0].data, { id, service: 'ply', sequence: 1 });
    assert.equal(bodies[1].type, 'report.deleted');
  });

  it('retries with the same id and a new timestamp until it is delivered', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = answerWith(500);
    await rig.report();
    await rig.send();
    await rig.send();
    assert.equal(receiver.received.length, 1, 'not before its time');
    assert.ok((await rig.found(webhook)).failingSince);
    receiver.answer = answerWith(200);
    await rig.send(5000);
    assert.equal(receiver.received.length, 2);
    const [first, second] = receiver.received as [Received, Received];
    assert.equal(idOf(first), idOf(second));
    assert.equal(first.body, second.body);
    const time = ({ headers }: Received) => Number(headers['webhook-timestamp']);
    assert.equal(time(second) - time(first), 5);
    const [delivery] = await rig.log(webhook);
    assert.deepEqual([delivery?.state, delivery?.attempts], ['delivered', 2]);
    assert.equal((await rig.found(webhook)).failingSince, undefined);
  });

  it('stops after ten attempts, keeps the delivery in the log, and sends it again on demand', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = answerWith(302, { location: 'http://127.0.0.1:1/' });
    await rig.report();
    await rig.send();
    const waits = [
      5000,
      5 * MINUTE,
      HOUR / 2,
      ...[2, 5, 10, 14, 20, 24].map((hour) => hour * HOUR),
    ];
    for (const wait of waits) await rig.send(wait);
    await rig.send(DAY);
    assert.equal(receiver.received.length, 10);
    const [dead] = await rig.log(webhook, 'dead');
    assert.deepEqual(
      [dead?.attempts, dead?.lastStatus, dead?.lastError],
      [10, 302, 'The endpoint answered 302.'],
    );
    receiver.answer = answerWith(204);
    const webhookKey = { service: 'ply', id: webhook.id };
    assert.equal(
      await rig.store.webhooks.replay(webhookKey, dead?.id ?? '', rig.clock.now()),
      'queued',
    );
    await rig.send();
    assert.equal(idOf(receiver.received[10] as Received), dead?.id);
    assert.equal((await rig.log(webhook, 'dead')).length, 0);
  });

  it('disables a webhook that answers 410, and resumes when its owner enables it', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = answerWith(410);
    await rig.report();
    await rig.send();
    assert.match((await rig.found(webhook)).disabledReason ?? '', /410/);
    const [entry] = (await rig.store.audit.list({ limit: 1 })).entries;
    assert.deepEqual([entry?.action, entry?.subject], ['webhook.disable', webhook.id]);
    await rig.report();
    await rig.send(DAY);
    assert.equal(receiver.received.length, 1, 'nothing is sent to it');
    assert.equal((await rig.log(webhook)).length, 1, 'and nothing is kept for it');
    receiver.answer = answerWith(204);
    await rig.store.webhooks.enable({ service: 'ply', id: webhook.id }, rig.audit);
    await rig.report();
    await rig.send();
    assert.equal(receiver.received.length, 2);
    assert.equal(bodyOf(receiver.received[1] as Received).sequence, 3);
  });

  it('disables a webhook whose deliveries have all failed for five days', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = (response) => response.socket?.resetAndDestroy();
    for (let day = 0; day < 5; day++) {
      await rig.report();
      await rig.send(DAY);
    }
    assert.equal((await rig.found(webhook)).disabledAt, undefined);
    await rig.report();
    await rig.send(DAY);
    const { disabledReason } = await rig.found(webhook);
    assert.match(disabledReason ?? '', /five days/);
    const calls = receiver.received.length;
    await rig.send(HOUR);
    assert.equal(receiver.received.length, calls);
    receiver.answer = answerWith(204);
    await rig.store.webhooks.enable({ service: 'ply', id: webhook.id }, rig.audit);
    await rig.send();
    const delivered = await rig.log(webhook, 'delivered');
    assert.ok(delivered.length >= 4, 'what still waited is sent');
    assert.equal((await rig.log(webhook, 'waiting')).length, 0);
  });

  it('sends nothing to an endpoint until the end of its Retry-After', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    await rig.hook(receiver.url());
    receiver.answer = answerWith(429, { 'retry-after': '600' });
    await rig.report();
    await rig.send();
    receiver.answer = answerWith(204);
    await rig.report();
    await rig.send(9 * MINUTE);
    assert.equal(receiver.received.length, 1);
    await rig.send(MINUTE);
    assert.equal(receiver.received.length, 3);
  });

  it('tries an endpoint that is down now and then, not once for each pending delivery', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = answerWith(503);
    for (let count = 0; count < 20; count++) await rig.report();
    await rig.send();
    // Two are under way at a time, and the second failure pauses the endpoint.
    const attempts = receiver.received.length;
    assert.ok(attempts <= 3, `${attempts} attempts`);
    receiver.answer = answerWith(204);
    await rig.send(5000);
    assert.equal((await rig.log(webhook, 'delivered')).length, 20);
  });

  it('sends again if the endpoint closed the connection in the middle of its answer', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('abc', () => response.socket?.destroy());
    };
    await rig.report();
    await rig.send();
    assert.deepEqual(await rig.log(webhook, 'delivered'), []);
    receiver.answer = answerWith(200);
    await rig.send(10_000);
    assert.equal((await rig.log(webhook, 'delivered')).length, 1);
    assert.equal(new Set(receiver.received.map(idOf)).size, 1);
  });

  it('judges an endless answer by its status', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = (response) => response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024));
    await rig.report();
    await rig.send();
    const [delivery] = await rig.log(webhook);
    assert.deepEqual([delivery?.state, delivery?.lastStatus], ['delivered', 200]);
  });

  it('delays no endpoint because another hangs', async (test) => {
    const rig = await openDeliveryRig(test);
    const [slow, quick] = [await openReceiver(test), await openReceiver(test)];
    const held: ServerResponse[] = [];
    slow.answer = (response) => void held.push(response);
    const [slowHook] = [await rig.hook(slow.url()), await rig.hook(quick.url())];
    for (let count = 0; count < 50; count++) await rig.report();
    rig.runner.wake();
    await quick.until(50);
    await slow.until(2);
    assert.equal(held.length, 2, 'no more than two at once');
    slow.answer = answerWith(204);
    for (const response of held) response.end();
    await rig.runner.idle();
    assert.equal((await rig.log(slowHook, 'delivered')).length, 50);
  });

  it('limits the number of attempts at once over all endpoints', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    for (let count = 0; count < 20; count++) await rig.hook(receiver.url());
    for (let count = 0; count < 3; count++) await rig.report();
    rig.runner.wake();
    await receiver.until(32);
    rig.runner.wake();
    // If there were a further delivery, it would have arrived by the end of this one.
    const probe = await openReceiver(test);
    await new GuardedHttp(LOOPBACK).post({ url: probe.url(), headers: {}, body: '' });
    assert.equal(held.length, 32);
    receiver.answer = answerWith(204);
    for (const response of held) response.end();
    await rig.runner.idle();
    assert.equal(receiver.received.length, 60);
  });

  it('sends again, with the same id, the deliveries of a process that died', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    await rig.report();
    const [leased] = await rig.store.webhooks.lease({ ...LEASE, now: rig.clock.now() });
    assert.ok(leased);
    await rig.send();
    assert.equal(receiver.received.length, 0, 'it is leased');
    await rig.send(MINUTE);
    assert.deepEqual(receiver.received.map(idOf), [leased.id]);
    const outcome = { kind: 'released' } as const;
    assert.equal(await rig.store.webhooks.settle(leased, outcome), false, 'the lease was lost');
    const [delivery] = await rig.log(webhook);
    assert.deepEqual([delivery?.state, delivery?.attempts], ['delivered', 2]);
  });

  it('leases the deliveries of a process that died within ten seconds', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    await rig.hook(receiver.url());
    receiver.answer = () => {};
    await rig.runner.stop();
    const dead = () => Promise.reject(new Error('the process is dead'));
    const { webhooks } = rig.store;
    const killed = rig.newRunner({ webhooks: { ...webhooks, renew: dead, settle: dead } });
    test.after(() => killed.stop(0));
    await rig.report();
    killed.wake();
    await receiver.until(1);
    receiver.answer = answerWith(204);
    rig.clock.advance(9000);
    const next = rig.newRunner();
    test.after(() => next.stop(0));
    await next.idle();
    const ids = receiver.received.map(idOf);
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
  });

  it('renews the lease for as long as an attempt takes', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    await rig.runner.stop();
    let renewed = 0;
    const { webhooks } = rig.store;
    const renew: typeof webhooks.renew = async (leased, lease) => {
      renewed += await webhooks.renew(leased, lease);
      return renewed;
    };
    const slow = rig.newRunner({ webhooks: { ...webhooks, renew } });
    test.after(() => slow.stop(0));
    await rig.report();
    slow.wake();
    await receiver.until(1);
    rig.clock.advance(5000);
    await until(() => renewed > 0, 'the lease is renewed');
    rig.clock.advance(5000);
    assert.deepEqual(await webhooks.lease({ ...LEASE, now: rig.clock.now() }), []);
    held[0]?.end();
    await slow.idle();
    assert.equal((await rig.log(webhook, 'delivered')).length, 1);
  });

  it('gives no delivery to two leases at once', async (test) => {
    const rig = await openDeliveryRig(test);
    await rig.hook('http://127.0.0.1:9/', {});
    await rig.hook('http://127.0.0.1:9/', {});
    for (let count = 0; count < 5; count++) await rig.report();
    const request = { ...LEASE, now: rig.clock.now() };
    const leases = await Promise.all([1, 2, 3].map(() => rig.store.webhooks.lease(request)));
    const ids = leases.flat().map(({ id }: LeasedDelivery) => id);
    assert.equal(ids.length, 4, 'two for each endpoint');
    assert.equal(new Set(ids).size, 4);
  });

  it('signs with both secrets for a day after a rotation, then with the new one', async (test) => {
    const rig = await openDeliveryRig(test, realClock());
    const receiver = await openReceiver(test);
    const { id } = await rig.hook(receiver.url());
    const until = new Date(rig.clock.now().getTime() + DAY);
    const webhookKey = { service: 'ply', id };
    await rig.store.webhooks.rotate(webhookKey, rig.sealer.seal(secretOf(2), id), until, rig.audit);
    await rig.report();
    await rig.send();
    const [during] = receiver.received as [Received];
    verify(during, 1);
    verify(during, 2);
    rig.clock.advance(DAY);
    await rig.report();
    await rig.send();
    const [, after] = receiver.received as [Received, Received];
    assert.equal(String(after.headers['webhook-signature']).split(' ').length, 1);
  });

  it('fails a delivery whose secret can no longer be read, and sends nothing unsigned', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    const stolen = rig.sealer.seal(secretOf(1), 'another webhook');
    const webhookKey = { service: 'ply', id: webhook.id };
    await rig.store.webhooks.rotate(webhookKey, stolen, rig.clock.now(), rig.audit);
    await rig.report();
    await rig.send();
    assert.equal(receiver.received.length, 0);
    assert.match((await rig.log(webhook))[0]?.lastError ?? '', /rotate/);
  });

  it('sends nothing to a removed webhook, and deletes its deliveries', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    await rig.report();
    const webhookKey = { service: 'ply', id: webhook.id };
    assert.equal(await rig.store.webhooks.remove(webhookKey, rig.audit), 'removed');
    await rig.report();
    await rig.send(2 * HOUR);
    assert.equal(receiver.received.length, 0);
    assert.equal(
      await rig.store.webhooks.deliveries(webhookKey, {
        limit: 1,
        before: undefined,
        state: undefined,
      }),
      'absent',
    );
    const over = {
      now: new Date(0),
      deliveredBefore: new Date(0),
      deadBefore: new Date(0),
      keyId: KEY_ID,
      limit: 10,
    };
    assert.equal(await rig.store.webhooks.deleteOldDeliveries(over), 0, 'the runner has done it');
  });

  it('deletes deliveries three days after they were delivered', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    await rig.report();
    await rig.send();
    await rig.send(2 * DAY);
    assert.equal((await rig.log(webhook)).length, 1);
    await rig.send(DAY + 1);
    assert.equal((await rig.log(webhook)).length, 0);
  });

  it('releases an attempt that its stop interrupts, without counting it', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    receiver.answer = () => {};
    await rig.report();
    rig.runner.wake();
    await receiver.until(1);
    await rig.runner.stop(0);
    const [waiting] = await rig.log(webhook);
    assert.deepEqual(
      [waiting?.state, waiting?.attempts, waiting?.lastError],
      ['waiting', 0, undefined],
    );
    receiver.answer = answerWith(204);
    const next = rig.newRunner();
    test.after(() => next.stop(0));
    await next.idle();
    assert.equal(idOf(receiver.received[1] as Received), waiting?.id);
  });

  it('finishes running attempts when it is stopped, and starts none', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    const webhook = await rig.hook(receiver.url());
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    for (let count = 0; count < 3; count++) await rig.report();
    rig.runner.wake();
    await receiver.until(2);
    const stopped = rig.runner.stop();
    for (const response of held) response.end();
    await stopped;
    const states = (await rig.log(webhook)).map(({ state }) => state);
    assert.deepEqual(states, ['waiting', 'delivered', 'delivered']);
  });

  it('logs neither addresses nor secrets', async (test) => {
    const rig = await openDeliveryRig(test);
    const receiver = await openReceiver(test);
    await rig.hook(receiver.url('127.0.0.1', '/token-in-the-path'));
    receiver.answer = (response) => response.writeHead(500).end('an answer');
    await rig.report();
    await rig.send();
    const lines = rig.lines.join('');
    assert.match(lines, /the delivery of a webhook failed/);
    assert.doesNotMatch(lines, /token-in-the-path|an answer|whsec|AQEBAQ/);
  });
});
