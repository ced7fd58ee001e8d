import { z } from 'zod';
import { parseUuid } from '../../domain/uuid.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../domain/webhooks/webhook.ts';
import { field, integerBetween, parsed, strictObject } from './field-rules.ts';
import { serviceParams } from './parameters.ts';

const MAX_PAGE_SIZE = 1000;
export const DEFAULT_DELIVERIES = 100;
export const DELIVERY_STATES = ['waiting', 'delivered', 'dead'] as const;

export const webhookBody = strictObject({
  url: field('a URL', z.string(), {
    details:
      'With https, without user name, password and fragment, with the port 443 or one from 1024 on, and not of a private or reserved address or localhost, unless the operator allows more; no spaces or control characters',
    example: 'https://desk.ply.example/hooks/rapsheet',
  }),
  events: field(
    `a list of at least one of ${WEBHOOK_EVENTS.join(', ')}`,
    z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(10).optional(),
    { details: 'All of them by default', example: ['report.created'] },
  ),
  format: field(`one of ${WEBHOOK_FORMATS.join(', ')}`, z.enum(WEBHOOK_FORMATS).optional(), {
    details: '"standard" by default',
  }),
});

const webhookId = field('the id of a webhook (a UUID)', parsed(parseUuid));
const deliveryId = field('the id of a delivery (a UUID)', parsed(parseUuid));

export const webhookParams = serviceParams.extend({ id: webhookId });
export const deliveryParams = webhookParams.extend({ delivery: deliveryId });

export const deliveriesQuery = z.object({
  state: field(`one of ${DELIVERY_STATES.join(', ')}`, z.enum(DELIVERY_STATES).optional(), {
    details: '"dead" are those that were given up',
  }),
  limit: field(
    `an integer from 1 to ${MAX_PAGE_SIZE}`,
    parsed(integerBetween(1, MAX_PAGE_SIZE)).optional(),
    {
      details: `${DEFAULT_DELIVERIES} by default`,
    },
  ),
  before: field('the id of a delivery (a UUID)', parsed(parseUuid).optional(), {
    details: 'Only older ones than that are listed',
  }),
});

export const DEFAULT_WEBHOOKS = 100;

export const allWebhooksQuery = z.object({
  service: z.string().optional().meta({ description: 'Only those of this feed' }),
  account: z
    .string()
    .optional()
    .meta({ description: 'Only those of this owner: the id or the name of an account' }),
  limit: field(
    `an integer from 1 to ${MAX_PAGE_SIZE}`,
    parsed(integerBetween(1, MAX_PAGE_SIZE)).optional(),
    {
      details: `${DEFAULT_WEBHOOKS} by default`,
    },
  ),
  after: field('the id of a webhook (a UUID)', parsed(parseUuid).optional(), {
    details: 'The last of the page before',
  }),
});

export const webhookIdParams = z.object({ id: webhookId });

export const webhookChanges = strictObject({
  disabled: field('true or false', z.boolean().optional(), {
    details: 'One that an administrator disabled is enabled by an administrator alone',
  }),
  owner: field('the id or the name of an account', z.string().min(1).max(64).optional(), {
    details: 'It must own the feed. Deliveries are sent while it does',
  }),
});
