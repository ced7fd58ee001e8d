import type { AttemptOutcome } from '../../domain/deliveries/retries.ts';
import type { SerializedReport } from '../../domain/reports/report.ts';
import { type DeliveredEvent, formatEvent, signDelivery } from '../../domain/webhooks/webhook.ts';
import { type AttemptResult, judgeAttempt } from '../../domain/webhooks/webhook-retries.ts';
import type {
  OutgoingFailure,
  OutgoingHttp,
  OutgoingRequest,
  OutgoingResult,
  Sealer,
} from '../../ports/outgoing.ts';
import type { Store } from '../../ports/store.ts';
import type { LeasedDelivery } from '../../ports/webhook-store.ts';

/** Serialize a report as JSON for the body of a webhook. */
export interface ReportSerializers {
  /** With the fields that this service adds. */
  extended(report: SerializedReport): string;
}

export interface SendDependencies {
  readonly store: Pick<Store, 'webhooks'>;
  readonly outgoing: Pick<OutgoingHttp, 'post'>;
  readonly sealer: Pick<Sealer, 'open' | 'keyId'>;
  readonly serializers: ReportSerializers;
  now(): Date;
  /** From 0 to 1. */
  random(): number;
  /** The URL under which clients reach this server. */
  baseUrl(): string;
}

/**
 * Makes one attempt at a leased delivery: signs it, sends it and stores the outcome. Returns
 * `undefined`, and stores nothing, if the lease was lost during the attempt.
 */
export async function sendWebhook(
  deps: SendDependencies,
  leased: LeasedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome | undefined> {
  const outcome = await attempt(deps, leased, signal);
  return (await deps.store.webhooks.settle(leased, outcome)) ? outcome : undefined;
}

async function attempt(
  deps: SendDependencies,
  leased: LeasedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { attempts, webhook } = leased;
  const request = signedRequest(deps, leased);
  const sent = request && (await deps.outgoing.post({ ...request, signal }));
  if (sent?.kind === 'failed' && sent.failure === 'interrupted') return { kind: 'released' };
  const { failingSince } = webhook;
  const result = toAttemptResult(sent);
  return judgeAttempt({ result, attempts, failingSince, now: deps.now(), chance: deps.random() });
}

function toAttemptResult(sent: OutgoingResult | undefined): AttemptResult {
  if (sent === undefined) return { failure: FAILURE_MESSAGES.sealed };
  return sent.kind === 'failed' ? { failure: FAILURE_MESSAGES[sent.failure] } : sent;
}

/** For the owner of the webhook. The answer of the endpoint itself is never shown. */
const FAILURE_MESSAGES: Readonly<Record<OutgoingFailure | 'sealed', string>> = {
  refused: 'The address of the endpoint may not be connected to.',
  unresolved: 'The name of the endpoint has no address.',
  unanswered: 'The name server did not answer for the name of the endpoint.',
  unreachable: 'The endpoint could not be reached, or ended the connection without an answer.',
  untrusted: 'The certificate of the endpoint is not valid for its name.',
  timeout: 'The endpoint took too long.',
  interrupted: 'The attempt was interrupted.',
  sealed: 'The secret of this webhook can no longer be read: rotate it.',
};

/** Signed again for every attempt. `undefined` if no secret of the webhook can be read. */
function signedRequest(
  { sealer, serializers, now, baseUrl }: SendDependencies,
  leased: LeasedDelivery,
): OutgoingRequest | undefined {
  const { id, webhook } = leased;
  const secrets = leased.secrets.flatMap((sealed) => sealer.open(sealed, webhook.id) ?? []);
  if (secrets.length === 0) return undefined;
  const feedUrl = `${baseUrl()}/feed/${webhook.service}`;
  const event = eventOf(leased, serializers);
  const { contentType, text: body } = formatEvent(event, webhook.format, feedUrl);
  const headers = {
    'content-type': contentType,
    'user-agent': 'Rapsheet-Webhooks/1',
    'rapsheet-service': webhook.service,
    'rapsheet-event': event.type,
    'rapsheet-sequence': String(event.sequence),
    ...signDelivery({ id, body, at: now() }, secrets),
  };
  return { url: webhook.url, headers, body };
}

function eventOf(leased: LeasedDelivery, serializers: ReportSerializers): DeliveredEvent {
  const { id, webhook, change, event, sequence, createdAt } = leased;
  const report = change?.report;
  return {
    id,
    type: event,
    service: webhook.service,
    sequence,
    at: change?.at ?? createdAt,
    subject: change?.reportId ?? webhook.id,
    report: report && {
      plain: report.body,
      extended: serializers.extended(report),
    },
  };
}
