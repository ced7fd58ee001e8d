import { z } from 'zod';
import { parseUuid } from '../../domain/uuid.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../domain/webhooks/webhook.ts';
import { UUID, WEBHOOK_URL } from '../openapi/text-formats.ts';
import { listOf } from './bounded-list.ts';
import { field, integerText, parsed, strictObject } from './field-rules.ts';
import { serviceParams } from './parameters.ts';

const MAX_PAGE_SIZE = 1000;
export const DEFAULT_DELIVERIES = 100;
export const DELIVERY_STATES = ['waiting', 'delivered', 'dead'] as const;

export const webhookBody = strictObject({
  url: field('a URL', z.string().meta(WEBHOOK_URL), {
    details:
      'It must use https and port 443 or a port from 1024 on, and must not have a user name, a password, a fragment, spaces or control characters, or point to localhost or to a private or reserved address. The operator may allow more',
    example: 'https://desk.ply.example/hooks/rapsheet',
  }),
  events: field(
    `a list of at least one of ${WEBHOOK_EVENTS.join(', ')}`,
    listOf(z.enum(WEBHOOK_EVENTS), { min: 1, max: 10 }).optional(),
    { details: 'All of them by default', example: ['report.created'] },
  ),
  format: field(`one of ${WEBHOOK_FORMATS.join(', ')}`, z.enum(WEBHOOK_FORMATS).optional(), {
    details: '"standard" by default',
  }),
});

const webhookId = field('the id of a webhook (a UUID)', parsed(parseUuid, UUID));
const deliveryId = field('the id of a delivery (a UUID)', parsed(parseUuid, UUID));

export const webhookParams = serviceParams.extend({ id: webhookId });
export const deliveryParams = webhookParams.extend({ delivery: deliveryId });

export const deliveriesQuery = z.object({
  state: field(`one of ${DELIVERY_STATES.join(', ')}`, z.enum(DELIVERY_STATES).optional(), {
    details: '"dead" deliveries are not retried any more',
  }),
  limit: field(`an integer from 1 to ${MAX_PAGE_SIZE}`, integerText(1, MAX_PAGE_SIZE).optional(), {
    details: `${DEFAULT_DELIVERIES} by default`,
  }),
  before: field('the id of a delivery (a UUID)', parsed(parseUuid, UUID).optional(), {
    details: 'Only deliveries before this one are returned',
  }),
});

export const DEFAULT_WEBHOOKS = 100;

export const allWebhooksQuery = z.object({
  service: z.string().optional().meta({ description: 'Only webhooks of this feed' }),
  account: z
    .string()
    .optional()
    .meta({ description: 'Only webhooks of this owner: the id or the name of an account' }),
  limit: field(`an integer from 1 to ${MAX_PAGE_SIZE}`, integerText(1, MAX_PAGE_SIZE).optional(), {
    details: `${DEFAULT_WEBHOOKS} by default`,
  }),
  after: field('the id of a webhook (a UUID)', parsed(parseUuid, UUID).optional(), {
    details: 'The last id of the previous page',
  }),
});

export const webhookIdParams = z.object({ id: webhookId });

export const webhookChanges = strictObject({
  disabled: field('true or false', z.boolean().optional(), {
    details: 'A webhook that an administrator disabled can be enabled only by an administrator',
  }),
  owner: field('the id or the name of an account', z.string().min(1).max(64).optional(), {
    details: 'It must own the feed. Deliveries are sent only while it does',
  }),
}).meta({ minProperties: 1 });
