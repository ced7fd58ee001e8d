import { z } from 'zod';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../../domain/webhooks/webhook.ts';
import { HTTP_URL } from '../../openapi/text-formats.ts';
import { DELIVERY_STATES } from '../../requests/webhook-fields.ts';
import { list, slug, utc, utcOrNull, uuid } from '../schemas.ts';

const successful = z.literal(true);
const secret = z.string().meta({
  description: '`whsec_` and the base64 of the key. Shown only once',
  pattern: '^whsec_[A-Za-z0-9+/]+=*$',
});

const webhook = z
  .strictObject({
    id: uuid,
    service: slug,
    url: z.string().meta(HTTP_URL),
    events: list(z.enum(WEBHOOK_EVENTS)),
    format: z.enum(WEBHOOK_FORMATS),
    createdBy: z.string(),
    createdAt: utc,
    owner: z.string().nullable().meta({
      description: 'Deliveries are sent only while this account is live and owns the feed',
    }),
    suspendedReason: z.string().nullable().meta({
      description:
        'Why nothing is sent although it is enabled; deliveries resume when the reason no longer applies',
    }),
    disabledAt: utcOrNull,
    disabledReason: z.string().nullable(),
    failingSince: utcOrNull.meta({ description: 'Since when every attempt has failed' }),
  })
  .meta({ id: 'Webhook', description: 'Where changes of a feed are sent' });

export const webhookResponse = z
  .strictObject({ webhook, successful })
  .meta({ id: 'WebhookAnswer', description: 'The webhook as it is now' });
export const webhookAdded = z
  .strictObject({ webhook, secret, successful })
  .meta({ id: 'AddedWebhook', description: 'The new webhook and its signing secret' });
export const webhookList = z
  .strictObject({ webhooks: list(webhook), successful })
  .meta({ id: 'WebhookList', description: 'The webhooks of the feed' });
export const webhookPage = z
  .strictObject({ webhooks: list(webhook), hasMore: z.boolean(), successful })
  .meta({ id: 'WebhookPage', description: 'Webhooks of any feed, by id' });
export const webhookRotated = z
  .strictObject({
    webhook,
    secret,
    oldValidUntil: utc.meta({
      description: 'Until then deliveries are signed with the old secret as well',
    }),
    successful,
  })
  .meta({ id: 'RotatedWebhook', description: 'The webhook and its new secret' });

const delivery = z
  .strictObject({
    id: uuid.meta({ description: 'The `webhook-id` of all its attempts' }),
    event: z.enum([...WEBHOOK_EVENTS, 'webhook.test']),
    sequence: z
      .int()
      .min(0)
      .meta({ description: 'The number of the change in its feed; 0 for a test' }),
    reportId: uuid.nullable(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int().min(0),
    nextAttemptAt: utcOrNull.meta({ description: 'null once it is delivered or dead' }),
    lastStatus: z.int().nullable().meta({ description: 'The last status of the endpoint' }),
    lastError: z.string().nullable(),
    createdAt: utc,
    finishedAt: utcOrNull,
  })
  .meta({ id: 'Delivery', description: 'The delivery of one event to one webhook' });

export const deliveryList = z
  .strictObject({ deliveries: list(delivery), hasMore: z.boolean(), successful })
  .meta({ id: 'DeliveryList', description: 'Deliveries, newest first' });
export const deliveryQueued = z
  .strictObject({
    delivery: uuid.meta({ description: 'The id of the delivery' }),
    successful,
  })
  .meta({ id: 'QueuedDelivery', description: 'The delivery is queued' });
