import type { Report } from '../domain/reports/report.ts';
import { type EventToTell, formatEvent, signDelivery } from '../domain/webhooks/webhook.ts';
import {
  type AttemptOutcome,
  type AttemptResult,
  judgeAttempt,
} from '../domain/webhooks/webhook-retries.ts';
import type { Log } from '../observability/log.ts';
import type {
  OutgoingFailure,
  OutgoingHttp,
  OutgoingRequest,
  OutgoingResult,
  Sealer,
} from '../ports/outgoing.ts';
import type { Store } from '../ports/store.ts';
import type { ClaimedDelivery } from '../ports/webhook-store.ts';

/** How reports are written for those who are told of them, as JSON. */
export interface ReportForms {
  /** The ten fields of the specification. */
  plain(report: Report): string;
  /** With ours. */
  extended(report: Report): string;
}

export interface DeliveryRunnerDependencies {
  readonly store: Pick<Store, 'webhooks'>;
  readonly outgoing: OutgoingHttp;
  readonly sealer: Sealer;
  readonly forms: ReportForms;
  readonly log: Log;
  now(): Date;
  /** The time by which old deliveries may be deleted; `undefined` where the clock is wrong. */
  trustedTime?(): Promise<Date | undefined>;
  /** From 0 to 1. */
  random(): number;
  /** Where this server is reached from outside. */
  baseUrl(): string;
  /** Told what became of each delivery after an attempt, for whoever watches. */
  settled(outcome: AttemptOutcome['kind']): void;
}

const AT_ONCE = 32;
const PER_WEBHOOK = 2;
/** A process that does not renew its leases within this is gone: others take over what it had claimed. */
const LEASE_MS = 6000;
const RENEW_EVERY_MS = 2000;
/** Deliveries of other processes, and those whose time has come, are seen at the latest after this. */
const LOOK_EVERY_MS = 1000;
/** Attempts that are under way when we stop get so long; what is broken off then is made again. */
const STOP_GRACE_MS = 5000;
const FORGET_EVERY_MS = 3_600_000;
/** Of each state: some 5 ms on SQLite. */
const FORGET_SLICE = 250;
const DELIVERED_KEPT_MS = 3 * 86_400_000;
const DEAD_KEPT_MS = 30 * 86_400_000;

/** Sends webhooks that are due: many at once, few of them to any one endpoint. */
export class DeliveryRunner {
  readonly #deps: DeliveryRunnerDependencies;
  readonly #running = new Set<Promise<void>>();
  /** Attempts under way, with the time of their claim or its last renewal. */
  readonly #held = new Map<ClaimedDelivery, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #renewal: NodeJS.Timeout;
  readonly #end = new AbortController();
  #claiming: Promise<void> | undefined;
  #lookAgain = false;
  #isStopping = false;
  #forgotAt = 0;

  constructor(deps: DeliveryRunnerDependencies) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.wake(), LOOK_EVERY_MS);
    this.#timer.unref();
    this.#renewal = setInterval(() => void this.#renew(), RENEW_EVERY_MS / 2);
    this.#renewal.unref();
    this.wake();
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isStopping) return;
    this.#lookAgain = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      // Woken after the last look and before this, which is when calls of one transaction are answered.
      if (this.#lookAgain && this.#running.size < AT_ONCE) this.wake();
    });
  }

  /** Settles when nothing is under way and nothing was due when it last looked. */
  async idle(): Promise<void> {
    while (this.#claiming !== undefined || this.#running.size > 0)
      await Promise.all([this.#claiming, ...this.#running]);
  }

  /** Begins nothing new, and waits a while for what is under way. */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    const timer = setTimeout(() => this.#end.abort(), graceMs);
    await this.idle();
    clearTimeout(timer);
    clearInterval(this.#renewal);
  }

  async #claim(): Promise<void> {
    const { store, log, now } = this.#deps;
    try {
      await this.#forget();
      while (this.#lookAgain && !this.#isStopping && this.#running.size < AT_ONCE) {
        this.#lookAgain = false;
        const claimed = await store.webhooks.claim({
          limit: AT_ONCE - this.#running.size,
          perWebhook: PER_WEBHOOK,
          leaseMs: LEASE_MS,
          now: now(),
        });
        for (const delivery of claimed) this.#begin(delivery);
      }
    } catch (err) {
      this.#lookAgain = false;
      log.error({ err }, 'no webhook could be claimed');
    }
  }

  /** An attempt may take longer than a lease. Most do not, and cost nothing here. */
  async #renew(): Promise<void> {
    const now = performance.now();
    const due = [...this.#held].filter(([, since]) => now - since >= RENEW_EVERY_MS);
    if (due.length === 0) return;
    const claimed = due.map(([one]) => one);
    // Not again while this is under way; where it fails, the next look is soon enough.
    for (const one of claimed) this.#held.set(one, now);
    try {
      await this.#deps.store.webhooks.renew(claimed, { leaseMs: LEASE_MS, now: this.#deps.now() });
    } catch (err) {
      this.#deps.log.error({ err }, 'the leases of deliveries were not renewed');
    }
  }

  #begin(claimed: ClaimedDelivery): void {
    this.#held.set(claimed, performance.now());
    const run = deliver(this.#deps, claimed, this.#end.signal)
      .catch((err: unknown) =>
        // Its lease runs out, and it is sent again.
        this.#deps.log.error({ err, delivery: claimed.id }, 'a delivery could not be settled'),
      )
      .finally(() => {
        this.#running.delete(run);
        this.#held.delete(claimed);
        this.wake();
      });
    this.#running.add(run);
  }

  async #forget(): Promise<void> {
    const { now: clock, trustedTime = async () => clock() } = this.#deps;
    if (Math.abs(clock().getTime() - this.#forgotAt) < FORGET_EVERY_MS) return;
    this.#forgotAt = clock().getTime();
    const now = (await trustedTime())?.getTime();
    if (now === undefined) return;
    const over = {
      now: new Date(now),
      deliveredBefore: new Date(now - DELIVERED_KEPT_MS),
      deadBefore: new Date(now - DEAD_KEPT_MS),
      limit: FORGET_SLICE,
    };
    while (!this.#isStopping && (await this.#deps.store.webhooks.forgetDeliveries(over)) > 0);
  }
}

/** Makes one attempt, and writes down what became of it. */
async function deliver(
  deps: DeliveryRunnerDependencies,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { id: delivery, webhookId: webhook, attempts } = claimed;
  const outcome = await attempt(deps, claimed, signal);
  const held = await deps.store.webhooks.settle(claimed, outcome);
  if (held) deps.settled(outcome.kind);
  if (!held || outcome.kind === 'delivered' || outcome.kind === 'released') return;
  deps.log.info({ delivery, webhook, attempts, error: outcome.error }, 'a delivery failed');
  if (outcome.kind === 'dead' && outcome.disable !== undefined)
    deps.log.warn({ webhook, reason: outcome.disable }, 'a webhook was disabled');
}

async function attempt(
  deps: DeliveryRunnerDependencies,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { attempts, webhook } = claimed;
  const request = requestOf(deps, claimed);
  const sent = request && (await deps.outgoing.post({ ...request, signal }));
  if (sent?.kind === 'failed' && sent.failure === 'interrupted') return { kind: 'released' };
  const { failingSince } = webhook;
  const result = resultOf(sent);
  return judgeAttempt({ result, attempts, failingSince, now: deps.now(), chance: deps.random() });
}

function resultOf(sent: OutgoingResult | undefined): AttemptResult {
  if (sent === undefined) return { failure: WORDS.sealed };
  return sent.kind === 'failed' ? { failure: WORDS[sent.failure] } : sent;
}

/** For the owner of the webhook. What the endpoint itself says is shown to nobody. */
const WORDS: Readonly<Record<OutgoingFailure | 'sealed', string>> = {
  refused: 'The address of the endpoint may not be connected to.',
  unresolved: 'The name of the endpoint has no address.',
  unreachable: 'The endpoint could not be reached, or ended the connection without an answer.',
  untrusted: 'The certificate of the endpoint is not valid for its name.',
  timeout: 'The endpoint took too long.',
  interrupted: 'It was broken off.',
  sealed: 'The secret of this webhook can no longer be read: rotate it.',
};

/** Signed anew for every attempt; `undefined` where there is no secret to sign with. */
function requestOf(
  { sealer, forms, now, baseUrl }: DeliveryRunnerDependencies,
  claimed: ClaimedDelivery,
): OutgoingRequest | undefined {
  const { id, webhook } = claimed;
  const secrets = claimed.secrets.flatMap((sealed) => sealer.open(sealed, webhook.id) ?? []);
  if (secrets.length === 0) return undefined;
  const feedUrl = `${baseUrl()}/feed/${webhook.service}`;
  const event = eventOf(claimed, forms);
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

function eventOf(claimed: ClaimedDelivery, forms: ReportForms): EventToTell {
  const { id, webhook, change, event, sequence, createdAt } = claimed;
  const report = change?.report;
  return {
    id,
    type: event,
    service: webhook.service,
    sequence,
    at: change?.at ?? createdAt,
    subject: change?.reportId ?? webhook.id,
    report: report && { plain: forms.plain(report), extended: forms.extended(report) },
  };
}
