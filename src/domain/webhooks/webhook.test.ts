import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { parseUuid } from '../uuid.ts';
import {
  type DeliveredEvent,
  deliveryIdOf,
  formatEvent,
  formatWebhookSecret,
  signDelivery,
} from './webhook.ts';

const FEED = 'https://feeds.example.invalid/feed/ply';
const AT = new Date('2026-08-26T10:00:00.123Z');
const REPORT = { plain: '{"id":"r1"}', extended: '{"id":"r1","sequence":9}' };

function event(members: Partial<DeliveredEvent> = {}): DeliveredEvent {
  return {
    id: 'd1',
    type: 'report.created',
    service: 'ply',
    sequence: 7,
    at: AT,
    subject: 'r1',
    report: REPORT,
    ...members,
  };
}

const withoutReport = { report: undefined };
const deletion = { type: 'report.deleted', ...withoutReport } as const;
const trial = { type: 'webhook.test', subject: 'w1', sequence: 0, ...withoutReport } as const;

describe('the standard form', () => {
  const standard = (members?: Partial<DeliveredEvent>) => {
    const { contentType, text } = formatEvent(event(members), 'standard', FEED);
    assert.equal(contentType, 'application/json; charset=utf-8');
    return JSON.parse(text);
  };

  it('has type, time, sequence and the current report', () => {
    assert.deepEqual(standard(), {
      type: 'report.created',
      timestamp: '2026-08-26T10:00:00Z',
      sequence: 7,
      data: { id: 'r1', sequence: 9 },
    });
  });

  it('describes a deletion', () => {
    const data = { id: 'r1', service: 'ply', sequence: 7, deletedAt: '2026-08-26T10:00:00Z' };
    assert.deepEqual(standard(deletion).data, data);
  });

  it('describes a change without the report if it was deleted since', () => {
    assert.deepEqual(standard(withoutReport).data, { id: 'r1', service: 'ply', sequence: 7 });
  });

  it('describes a test delivery', () => {
    assert.deepEqual(standard(trial).data, { id: 'w1', service: 'ply', test: true });
  });
});

describe('the form of a bare report', () => {
  const bare = (members?: Partial<DeliveredEvent>) =>
    JSON.parse(formatEvent(event(members), 'report', FEED).text);

  it('is the report itself', () => assert.deepEqual(bare(), { id: 'r1' }));
  it('states that the report was deleted', () => {
    assert.deepEqual(bare(deletion), { id: 'r1', deleted: true });
    assert.deepEqual(bare(withoutReport), { id: 'r1', deleted: true });
  });
  it('states that it is a test', () => assert.deepEqual(bare(trial), { id: 'w1', test: true }));
});

describe('the form of CloudEvents', () => {
  const read = (members?: Partial<DeliveredEvent>) => {
    const { contentType, text: body } = formatEvent(event(members), 'cloudevents', FEED);
    const cloudEvent = HTTP.toEvent({ headers: { 'content-type': contentType }, body });
    assert.ok(cloudEvent instanceof CloudEvent);
    assert.ok(cloudEvent.validate());
    return cloudEvent;
  };

  it('is accepted by the CloudEvents library', () => {
    const { id, source, type, subject, time, datacontenttype, data, ...others } = read();
    assert.deepEqual(
      [id, source, type, subject, datacontenttype],
      ['d1', FEED, 'rapsheet.report.created.v1', 'r1', 'application/json'],
    );
    assert.equal(new Date(time ?? 0).toISOString(), '2026-08-26T10:00:00.000Z');
    assert.deepEqual(data, { id: 'r1', sequence: 9 });
    assert.equal(others['sequence'], '0000000000000007', 'ordered as text');
  });

  it('describes deletions and test deliveries', () => {
    assert.deepEqual(read(deletion).type, 'rapsheet.report.deleted.v1');
    assert.deepEqual(read(trial).type, 'rapsheet.webhook.test.v1');
    assert.deepEqual(read(trial).data, { id: 'w1', service: 'ply', test: true });
  });
});

describe('a signature', () => {
  const SECRETS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  // The library uses the clock of the machine.
  const signed = (body: string) => ({ id: 'msg-1', body, at: new Date() });

  it('is one that the library of Standard Webhooks accepts, with every valid secret', () => {
    const body = formatEvent(event({ service: 'ü' }), 'standard', FEED).text;
    const headers = { ...signDelivery(signed(body), SECRETS) };
    for (const secret of SECRETS) {
      const verified = new Webhook(formatWebhookSecret(secret)).verify(body, headers);
      assert.deepEqual(verified, JSON.parse(body));
    }
  });

  it('is refused for another secret, body, id or time', () => {
    const headers = { ...signDelivery(signed('{}'), SECRETS) };
    const verifier = new Webhook(formatWebhookSecret(Buffer.alloc(32, 1)));
    const other = new Webhook(formatWebhookSecret(Buffer.alloc(32, 3)));
    assert.throws(() => other.verify('{}', headers));
    assert.throws(() => verifier.verify('{} ', headers));
    assert.throws(() => verifier.verify('{}', { ...headers, 'webhook-id': 'msg-2' }));
    assert.throws(() => verifier.verify('{}', { ...headers, 'webhook-timestamp': '1' }));
  });

  it('is the one of the published example', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const delivery = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      at: new Date(1_614_265_330_000),
    };
    assert.deepEqual(signDelivery(delivery, [secret]), {
      'webhook-id': delivery.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

describe('the id of a delivery', () => {
  it('depends only on webhook and number, and is a UUID that sorts by time', () => {
    const id = deliveryIdOf('w1', 7, AT);
    assert.equal(id, deliveryIdOf('w1', 7, AT));
    assert.equal(parseUuid(id), id);
    const others = [deliveryIdOf('w2', 7, AT), deliveryIdOf('w1', 8, AT)];
    assert.equal(new Set([id, ...others]).size, 3);
    assert.ok(deliveryIdOf('w1', 8, new Date(AT.getTime() + 1)) > id);
  });
});
