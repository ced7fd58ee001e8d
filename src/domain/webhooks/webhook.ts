import { createHmac, hash } from 'node:crypto';
import { DAY_MS } from '../duration.ts';
import { formatUuidV7 } from '../uuid.ts';

export const WEBHOOK_FORMATS = ['standard', 'report', 'cloudevents'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const WEBHOOK_EVENTS = ['report.created', 'report.updated', 'report.deleted'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** What an endpoint may be told of: a change, or that somebody wants to see whether it listens. */
export type EventType = WebhookEvent | 'webhook.test';

export const MAX_WEBHOOKS = 20;
export const SECRET_BYTES = 32;
/** How long the secret before a rotation still signs beside the new one. */
export const ROTATION_GRACE_MS = DAY_MS;

/** As Standard Webhooks writes a symmetric secret. */
export function formatWebhookSecret(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/** What is told in one delivery. */
export interface EventToTell {
  /** Of the delivery: the same over all attempts. */
  readonly id: string;
  readonly type: EventType;
  readonly service: string;
  /** The number of the change in its feed; 0 for a test. */
  readonly sequence: number;
  readonly at: Date;
  /** The report it is about, or the webhook that is tried. */
  readonly subject: string;
  /** The report as it stands now, as JSON: the ten fields, and with ours. Absent where it is gone by now. */
  readonly report?: { readonly plain: string; readonly extended: string } | undefined;
}

export interface EventBody {
  readonly contentType: string;
  readonly text: string;
}

/** The bytes that are signed and sent. `feedUrl` is where the feed is reached from outside. */
export function formatEvent(event: EventToTell, format: WebhookFormat, feedUrl: string): EventBody {
  if (format === 'report') return { contentType: JSON_TYPE, text: bareReport(event) };
  if (format === 'cloudevents')
    return { contentType: CLOUDEVENTS_TYPE, text: cloudEvent(event, feedUrl) };
  const head = { type: event.type, timestamp: formatUtc(event.at), sequence: event.sequence };
  return { contentType: JSON_TYPE, text: withData(head, dataOf(event)) };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const CLOUDEVENTS_TYPE = 'application/cloudevents+json; charset=utf-8';

/** For receivers that want reports and nothing around them. */
function bareReport(event: EventToTell): string {
  if (event.type === 'webhook.test') return JSON.stringify({ id: event.subject, test: true });
  return event.report?.plain ?? JSON.stringify({ id: event.subject, deleted: true });
}

/** CloudEvents 1.0, structured mode, with the extension `sequence`, which is ordered as text. */
function cloudEvent(event: EventToTell, feedUrl: string): string {
  const head = {
    specversion: '1.0',
    id: event.id,
    source: feedUrl,
    type: `rapsheet.${event.type}.v1`,
    subject: event.subject,
    time: formatUtc(event.at),
    sequence: String(event.sequence).padStart(16, '0'),
    datacontenttype: 'application/json',
  };
  return withData(head, dataOf(event));
}

function dataOf(event: EventToTell): string {
  const { type, subject: id, service, sequence, at, report } = event;
  if (type === 'webhook.test') return JSON.stringify({ id, service, test: true });
  if (type === 'report.deleted')
    return JSON.stringify({ id, service, sequence, deletedAt: formatUtc(at) });
  // Its deletion is on the way as an event of its own.
  return report?.extended ?? JSON.stringify({ id, service, sequence });
}

/** As times stand everywhere else on the wire. */
function formatUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function withData(head: object, data: string): string {
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;
}

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, once for each secret that is valid. Receivers
 * refuse what was signed minutes ago, so every attempt is signed anew.
 */
export function signDelivery(
  delivery: { readonly id: string; readonly body: string; readonly at: Date },
  secrets: readonly Uint8Array[],
): SignedHeaders {
  const timestamp = String(Math.floor(delivery.at.getTime() / 1000));
  const signed = `${delivery.id}.${timestamp}.${delivery.body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * The id of the delivery of a change to a webhook. It follows from the two, so that the transaction of the change
 * needs no chance and may be begun again.
 */
export function deliveryIdOf(webhookId: string, sequence: number, at: Date): string {
  return formatUuidV7(at, hash('sha256', `${webhookId} ${sequence}`, 'buffer'));
}
