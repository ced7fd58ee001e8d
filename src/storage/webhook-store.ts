import type { WebhookStore } from '../ports/webhook-store.ts';
import { administerWebhook, listAllWebhooks } from './sql/webhooks/webhook-administration.ts';
import { claimDeliveries, renewDeliveries, settleDelivery } from './sql/webhooks/webhook-claims.ts';
import {
  forgetDeliveries,
  listDeliveries,
  queueTest,
  replayDelivery,
} from './sql/webhooks/webhook-deliveries.ts';
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
export function webhooksOver(runner: Runner): WebhookStore {
  return {
    add: (webhook, secret, act) => runner.write(() => addWebhook(webhook, secret, act)),
    list: (service) => runner.read(() => listWebhooks(service)),
    listAll: (page) => runner.read(() => listAllWebhooks(page)),
    administer: (id, changes, act) => runner.write(() => administerWebhook(id, changes, act)),
    find: (place) => runner.read(() => findWebhook(place)),
    remove: (place, act) => runner.write(() => removeWebhook(place, act)),
    rotate: (place, secret, oldUntil, act) =>
      runner.write(() => rotateSecret(place, secret, oldUntil, act)),
    enable: (place, act) => runner.write(() => enableWebhook(place, act)),
    test: (place, id, at) => runner.write(() => queueTest(place, id, at)),
    deliveries: (place, page) => runner.read(() => listDeliveries(place, page)),
    replay: (place, id, at) => runner.write(() => replayDelivery(place, id, at)),
    claim: (wish) => runner.write(() => claimDeliveries(wish)),
    renew: (claimed, lease) => runner.write(() => renewDeliveries(claimed, lease)),
    settle: (claimed, outcome) => runner.write(() => settleDelivery(claimed, outcome)),
    forgetDeliveries: (over) => runner.write(() => forgetDeliveries(over)),
  };
}
