import type { WebhookStore } from '../../ports/webhook-store.ts';
import { deleteOldDeliveries } from '../tables/deliveries/delete-old-deliveries.ts';
import { renewLeases } from '../tables/deliveries/delivery-leases.ts';
import {
  identifySecrets,
  recordKey,
  unidentifiedSecrets,
  webhooksOfOtherKeys,
} from '../tables/webhooks/webhook-keys.ts';
import { listAllWebhooks } from '../tables/webhooks/webhook-pages.ts';
import { findWebhook, listWebhooks, rotateSecret } from '../tables/webhooks/webhooks.ts';
import { addWebhook } from '../transactions/webhooks/add-webhook.ts';
import { administerWebhook } from '../transactions/webhooks/administer-webhook.ts';
import { enableWebhook } from '../transactions/webhooks/enable-webhook.ts';
import { leaseDeliveries } from '../transactions/webhooks/lease-deliveries.ts';
import { removeWebhook } from '../transactions/webhooks/remove-webhook.ts';
import { settleWebhookDelivery } from '../transactions/webhooks/settle-delivery.ts';
import {
  listDeliveries,
  queueTest,
  replayDelivery,
} from '../transactions/webhooks/webhook-deliveries.ts';
import type { Runner } from '../units/runner.ts';

export function createWebhookStore(runner: Runner): WebhookStore {
  return {
    add: (webhook, secret, audit) => runner.write(() => addWebhook(webhook, secret, audit)),
    list: (service) => runner.read(() => listWebhooks(service)),
    listAll: (page) => runner.read(() => listAllWebhooks(page)),
    administer: (id, changes, audit) => runner.write(() => administerWebhook(id, changes, audit)),
    find: (key) => runner.read(() => findWebhook(key)),
    remove: (key, audit) => runner.write(() => removeWebhook(key, audit)),
    rotate: (key, secret, oldUntil, audit) =>
      runner.write(() => rotateSecret(key, secret, oldUntil, audit)),
    enable: (key, audit) => runner.write(() => enableWebhook(key, audit)),
    test: (key, id, at) => runner.write(() => queueTest(key, id, at)),
    deliveries: (key, page) => runner.read(() => listDeliveries(key, page)),
    replay: (key, id, at) => runner.write(() => replayDelivery(key, id, at)),
    lease: (request) => runner.write(() => leaseDeliveries(request)),
    renew: (leased, lease) => runner.write(() => renewLeases(leased, lease)),
    settle: (leased, outcome) => runner.write(() => settleWebhookDelivery(leased, outcome)),
    ofOtherKeys: (keyId, limit) => runner.read(() => webhooksOfOtherKeys(keyId, limit)),
    unidentifiedSecrets: (after, limit) => runner.read(() => unidentifiedSecrets(after, limit)),
    identifySecrets: (secrets, keyId) => runner.write(() => identifySecrets(secrets, keyId)),
    recordKey: (keyId) => runner.write(() => recordKey(keyId)),
    onQueued: (listener) => runner.onDeliveries(listener),
    deleteOldDeliveries: (retention) => runner.write(() => deleteOldDeliveries(retention)),
  };
}
