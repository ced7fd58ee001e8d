import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import type { AttemptOutcome } from '../../domain/deliveries/retries.ts';
import { formatWebhookSecret, WEBHOOK_EVENTS } from '../../domain/webhooks/webhook.ts';
import type { OutgoingRequest, OutgoingResult } from '../../ports/outgoing.ts';
import type { LeasedDelivery } from '../../ports/webhook-store.ts';
import { type SendDependencies, sendWebhook } from './send-webhook.ts';

const NOW = new Date();
const SECRET = Buffer.alloc(32, 1);
const NOT_INTERRUPTED = new AbortController().signal;

const LEASED: LeasedDelivery = {
  id: 'd1',
  webhookId: 'w1',
  event: 'webhook.test',
  sequence: 0,
  reportId: undefined,
  state: 'waiting',
  attempts: 1,
  dueAt: NOW,
  lastStatus: undefined,
  lastError: undefined,
  createdAt: NOW,
  finishedAt: undefined,
  lease: 1,
  webhook: {
    id: 'w1',
    service: 'ply',
    url: 'https://receiver.example.invalid/',
    events: WEBHOOK_EVENTS,
    format: 'standard',
    createdBy: 'alice',
    createdAt: NOW,
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
  },
  secrets: [SECRET],
  change: undefined,
};

interface Scene {
  readonly sent?: OutgoingResult;
  readonly isLeaseLost?: boolean;
  readonly canOpen?: boolean;
}

/** Sends one delivery, and returns the posted request and the stored result. */
async function send({ sent, isLeaseLost = false, canOpen = true }: Scene) {
  const posted: OutgoingRequest[] = [];
  const stored: AttemptOutcome[] = [];
  const webhooks: Pick<SendDependencies['store']['webhooks'], 'settle'> = {
    async settle(_leased, outcome) {
      if (!isLeaseLost) stored.push(outcome);
      return !isLeaseLost;
    },
  };
  const outcome = await sendWebhook(
    {
      store: { webhooks: webhooks as SendDependencies['store']['webhooks'] },
      outgoing: {
        async post(request) {
          posted.push(request);
          return sent ?? { kind: 'answered', status: 204, retryAfter: undefined };
        },
      },
      sealer: { keyId: '', open: (sealed) => (canOpen ? Buffer.from(sealed) : undefined) },
      serializers: { extended: () => '{}' },
      now: () => NOW,
      random: () => 0,
      baseUrl: () => 'https://feeds.example.invalid',
    },
    LEASED,
    NOT_INTERRUPTED,
  );
  return { outcome, posted, stored };
}

describe('sending a webhook', () => {
  it('signs the request, and stores that it was delivered', async () => {
    const { outcome, posted, stored } = await send({});
    assert.deepEqual(stored, [{ kind: 'delivered', status: 204, at: NOW }]);
    assert.deepEqual(stored, [outcome]);
    const [{ body, headers } = assert.fail()] = posted;
    new Verifier(formatWebhookSecret(SECRET)).verify(String(body), { ...headers });
  });

  it('returns nothing if the lease was lost during the attempt', async () => {
    const { outcome, posted } = await send({ isLeaseLost: true });
    assert.equal(posted.length, 1);
    assert.equal(outcome, undefined);
  });

  it('releases an attempt that was interrupted', async () => {
    const { outcome } = await send({ sent: { kind: 'failed', failure: 'interrupted' } });
    assert.deepEqual(outcome, { kind: 'released' });
  });

  it('sends nothing if no secret can be read', async () => {
    const { outcome, posted } = await send({ canOpen: false });
    assert.deepEqual(posted, []);
    assert.equal(outcome?.kind, 'again');
  });
});
