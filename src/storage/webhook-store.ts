import type { WebhookStore } from '../ports/webhook-store.ts';
import { administerWebhook, listAllWebhooks } from './sql/webhooks/webhook-administration.ts';
import { claimDeliveries, renewDeliveries } from './sql/webhooks/webhook-claims.ts';
import {
  forgetDeliveries,
  listDeliveries,
  queueTest,
  replayDelivery,
} from './sql/webhooks/webhook-deliveries.ts';
import { settleDelivery } from './sql/webhooks/webhook-settlements.ts';
import {
  addWebhook,
  enableWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
} from './sql/webhooks/webhooks.ts';
import type { Runner } from './unit-of-work.ts';

/** That part of the store which is about webhooks. */
export function createWebhookStore(runner: Runner): WebhookStore {
  return {
    add: (webhook, secret, audit) => runner.write(() => addWebhook(webhook, secret, audit)),
    list: (service) => runner.read(() => listWebhooks(service)),
    listAll: (page) => runner.read(() => listAllWebhooks(page)),
    administer: (id, changes, audit) => runner.write(() => administerWebhook(id, changes, audit)),
    find: (place) => runner.read(() => findWebhook(place)),
    remove: (place, audit) => runner.write(() => removeWebhook(place, audit)),
    rotate: (place, secret, oldUntil, audit) =>
      runner.write(() => rotateSecret(place, secret, oldUntil, audit)),
    enable: (place, audit) => runner.write(() => enableWebhook(place, audit)),
    test: (place, id, at) => runner.write(() => queueTest(place, id, at)),
    deliveries: (place, page) => runner.read(() => listDeliveries(place, page)),
    replay: (place, id, at) => runner.write(() => replayDelivery(place, id, at)),
    claim: (wish) => runner.write(() => claimDeliveries(wish)),
    renew: (claimed, lease) => runner.write(() => renewDeliveries(claimed, lease)),
    settle: (claimed, outcome) => runner.write(() => settleDelivery(claimed, outcome)),
    forgetDeliveries: (over) => runner.write(() => forgetDeliveries(over)),
  };
}
