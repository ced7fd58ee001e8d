import { createHmac, hash } from 'node:crypto';
import { DAY_MS } from '../duration.ts';
import { formatUuidV7 } from '../uuid.ts';

export const WEBHOOK_FORMATS = ['standard', 'report', 'cloudevents'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const WEBHOOK_EVENTS = ['report.created', 'report.updated', 'report.deleted'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** The type of a delivery: a change, or a test by the owner of the webhook. */
export type EventType = WebhookEvent | 'webhook.test';

export const MAX_WEBHOOKS = 20;
export const SECRET_BYTES = 32;
/** How long the previous secret also signs after a rotation. */
export const ROTATION_GRACE_MS = DAY_MS;

/** The format of a symmetric secret in Standard Webhooks. */
export function formatWebhookSecret(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/** The event of one delivery. */
export interface DeliveredEvent {
  /** The id of the delivery, the same for all attempts. */
  readonly id: string;
  readonly type: EventType;
  readonly service: string;
  /** The sequence of the change in its feed; 0 for a test. */
  readonly sequence: number;
  readonly at: Date;
  /** The id of the report, or of the webhook in a test. */
  readonly subject: string;
  /**
   * The current report as JSON: with the ten fields of the specification, and with the fields that
   * this service adds. Absent if it was deleted.
   */
  readonly report?: { readonly plain: string; readonly extended: string } | undefined;
}

export interface EventBody {
  readonly contentType: string;
  readonly text: string;
}

/** The body that is signed and sent. `feedUrl` is the public URL of the feed. */
export function formatEvent(
  event: DeliveredEvent,
  format: WebhookFormat,
  feedUrl: string,
): EventBody {
  if (format === 'report') return { contentType: JSON_TYPE, text: bareReport(event) };
  if (format === 'cloudevents')
    return { contentType: CLOUDEVENTS_TYPE, text: cloudEvent(event, feedUrl) };
  const head = { type: event.type, timestamp: formatUtc(event.at), sequence: event.sequence };
  return { contentType: JSON_TYPE, text: withData(head, dataOf(event)) };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const CLOUDEVENTS_TYPE = 'application/cloudevents+json; charset=utf-8';

/** For receivers that expect a report without an envelope. */
function bareReport(event: DeliveredEvent): string {
  if (event.type === 'webhook.test') return JSON.stringify({ id: event.subject, test: true });
  return event.report?.plain ?? JSON.stringify({ id: event.subject, deleted: true });
}

/** CloudEvents 1.0, structured mode, with the extension `sequence`, which sorts as text. */
function cloudEvent(event: DeliveredEvent, feedUrl: string): string {
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

function dataOf(event: DeliveredEvent): string {
  const { type, subject: id, service, sequence, at, report } = event;
  if (type === 'webhook.test') return JSON.stringify({ id, service, test: true });
  if (type === 'report.deleted')
    return JSON.stringify({ id, service, sequence, deletedAt: formatUtc(at) });
  // The report was deleted; its deletion is an event of its own.
  return report?.extended ?? JSON.stringify({ id, service, sequence });
}

/** The time format of the API. */
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
 * Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, once for each valid secret.
 * Receivers refuse old signatures, so every attempt is signed again.
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
 * The id of the delivery of a change to a webhook. It is derived from both, so the transaction of
 * the change is deterministic and can be retried.
 */
export function deliveryIdOf(webhookId: string, sequence: number, at: Date): string {
  return formatUuidV7(at, hash('sha256', `${webhookId} ${sequence}`, 'buffer'));
}
