import type { Delivery, DeliveryByMail, Webhook } from '../../client/wire.ts';
import { type Columns, tableOf } from './list.ts';

export const webhookColumns: Columns<Webhook> = [
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'service', title: 'FEED', value: ({ service }) => service },
  { name: 'url', title: 'URL', flexible: true, value: ({ url }) => url },
  {
    name: 'events',
    title: 'EVENTS',
    flexible: true,
    value: ({ events }) => events,
    text: ({ events }) => events.join(' '),
  },
  { name: 'format', title: 'FORMAT', value: ({ format }) => format },
  {
    name: 'state',
    title: 'STATE',
    flexible: true,
    value: (webhook) => stateOf(webhook).state,
    text: (webhook) => textOf(stateOf(webhook)),
  },
  { name: 'reason', value: (webhook) => stateOf(webhook).reason },
  { name: 'since', title: 'SINCE', value: (webhook) => stateOf(webhook).since },
  { name: 'owner', title: 'OWNER', value: ({ owner }) => owner },
];

export function webhookTable(webhooks: readonly Webhook[]): string {
  return tableOf(webhookColumns, webhooks);
}

interface WebhookState {
  readonly state: string;
  readonly reason?: string;
  readonly since: string;
}

function stateOf(webhook: Webhook): WebhookState {
  const { disabledAt, disabledReason, suspendedReason, failingSince, createdAt } = webhook;
  if (disabledAt !== null)
    return { state: 'disabled', reason: disabledReason ?? 'no reason', since: disabledAt };
  if (suspendedReason !== null)
    return { state: 'suspended', reason: suspendedReason, since: createdAt };
  return failingSince === null
    ? { state: 'enabled', since: createdAt }
    : { state: 'failing', since: failingSince };
}

function textOf({ state, reason }: WebhookState): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}

export const mailDeliveryColumns: Columns<DeliveryByMail> = [
  { name: 'created_at', title: 'CREATED', value: ({ createdAt }) => createdAt },
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'state', title: 'STATE', value: ({ state }) => state },
  { name: 'sequence', title: 'NUMBER', value: ({ sequence }) => sequence },
  {
    name: 'report',
    title: 'REPORT',
    value: ({ reportId }) => reportId,
    text: ({ reportId }) => reportId ?? 'test',
  },
  { name: 'attempts', title: 'ATTEMPTS', value: ({ attempts }) => attempts },
  {
    name: 'last_status',
    title: 'LAST ANSWER',
    flexible: true,
    value: ({ lastStatus }) => lastStatus,
    text: ({ lastStatus, lastError }) => lastError ?? String(lastStatus ?? ''),
  },
  { name: 'last_error', value: ({ lastError }) => lastError },
  { name: 'next_attempt_at', title: 'NEXT', value: ({ nextAttemptAt }) => nextAttemptAt },
];

export const deliveryColumns: Columns<Delivery> = [
  { name: 'created_at', title: 'CREATED', value: ({ createdAt }) => createdAt },
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'state', title: 'STATE', value: ({ state }) => state },
  { name: 'event', title: 'EVENT', value: ({ event }) => event },
  { name: 'sequence', title: 'NUMBER', value: ({ sequence }) => sequence },
  { name: 'report', title: 'REPORT', value: ({ reportId }) => reportId },
  { name: 'attempts', title: 'ATTEMPTS', value: ({ attempts }) => attempts },
  {
    name: 'last_status',
    title: 'LAST ANSWER',
    flexible: true,
    value: ({ lastStatus }) => lastStatus,
    text: ({ lastStatus, lastError }) => [lastStatus ?? [], lastError ?? []].flat().join(' '),
  },
  { name: 'last_error', value: ({ lastError }) => lastError },
  { name: 'next_attempt_at', title: 'NEXT', value: ({ nextAttemptAt }) => nextAttemptAt },
];
