import { z } from 'zod';
import { parseUuid } from '../../domain/uuid.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../domain/webhooks/webhook.ts';
import { exactly, parsed, ruled } from './field-rules.ts';
import { serviceParams } from './parameters.ts';

const MAX_DELIVERIES = 1000;
export const DEFAULT_DELIVERIES = 100;
export const DELIVERY_STATES = ['waiting', 'delivered', 'dead'] as const;

export const webhookBody = exactly({
  url: ruled('a URL', z.string(), {
    also: 'With https, without user name, password and fragment, with the port 443 or one from 1024 on, and not of a private or reserved address or localhost, unless the operator allows more; no spaces or control characters',
    example: 'https://desk.ply.example/hooks/rapsheet',
  }),
  events: ruled(
    `a list of at least one of ${WEBHOOK_EVENTS.join(', ')}`,
    z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(10).optional(),
    { also: 'All of them by default', example: ['report.created'] },
  ),
  format: ruled(`one of ${WEBHOOK_FORMATS.join(', ')}`, z.enum(WEBHOOK_FORMATS).optional(), {
    also: '"standard" by default',
  }),
});

const webhookId = ruled('the id of a webhook (a UUID)', parsed(parseUuid));
const deliveryId = ruled('the id of a delivery (a UUID)', parsed(parseUuid));

export const webhookParams = serviceParams.extend({ id: webhookId });
export const deliveryParams = webhookParams.extend({ delivery: deliveryId });

export const deliveriesQuery = z.object({
  state: ruled(`one of ${DELIVERY_STATES.join(', ')}`, z.enum(DELIVERY_STATES).optional(), {
    also: '"dead" are those that were given up',
  }),
  limit: ruled(`an integer from 1 to ${MAX_DELIVERIES}`, parsed(parseLimit).optional(), {
    also: `${DEFAULT_DELIVERIES} by default`,
  }),
  before: ruled('the id of a delivery (a UUID)', parsed(parseUuid).optional(), {
    also: 'Only older ones than that are listed',
  }),
});

export const DEFAULT_WEBHOOKS = 100;

export const allWebhooksQuery = z.object({
  service: z.string().optional().meta({ description: 'Only those of this feed' }),
  account: z
    .string()
    .optional()
    .meta({ description: 'Only those of this owner: the id or the name of an account' }),
  limit: ruled(`an integer from 1 to ${MAX_DELIVERIES}`, parsed(parseLimit).optional(), {
    also: `${DEFAULT_WEBHOOKS} by default`,
  }),
  after: ruled('the id of a webhook (a UUID)', parsed(parseUuid).optional(), {
    also: 'The last of the page before',
  }),
});

export const webhookIdParams = z.object({ id: webhookId });

export const webhookChanges = exactly({
  disabled: ruled('true or false', z.boolean().optional(), {
    also: 'One that an administrator disabled is enabled by an administrator alone',
  }),
  owner: ruled('the id or the name of an account', z.string().min(1).max(64).optional(), {
    also: 'It must own the feed. Deliveries are sent while it does',
  }),
});

function parseLimit(text: string): number | undefined {
  return /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= MAX_DELIVERIES
    ? Number(text)
    : undefined;
}
