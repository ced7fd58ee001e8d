import type { AttemptOutcome } from '../../domain/deliveries/retries.ts';
import { judgeMail } from '../../domain/mail/mail-retries.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { LeasedMail, LeasedMailDelivery, SettledMail } from '../../ports/mail-store.ts';
import type { OutgoingMail } from '../../ports/outgoing-mail.ts';
import type { Store } from '../../ports/store.ts';
import { composeMail, composeTestMail, type XarfWriter } from './compose-mail.ts';

export interface SendMailDependencies {
  readonly store: Pick<Store, 'mail'>;
  readonly outgoingMail: OutgoingMail;
  readonly xarf: XarfWriter;
  now(): Date;
  /** From 0 to 1. */
  random(): number;
  /** The URL under which clients reach this server. */
  baseUrl(): string;
}

/** Makes one attempt at a mail: composes it, sends it and stores the outcome. */
export async function sendMail(
  deps: SendMailDependencies,
  leased: LeasedMail,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const present = leased.deliveries.flatMap(({ report }) => report ?? []);
  const outcome = await attempt(deps, leased, present, signal);
  const settled = leased.deliveries.map((delivery) => settle(delivery, outcome, deps.now()));
  await deps.store.mail.settle(settled);
  return outcome;
}

async function attempt(
  deps: SendMailDependencies,
  leased: LeasedMail,
  [first, ...others]: readonly Report[],
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { outgoingMail, xarf } = deps;
  const context = { xarf, from: outgoingMail.from, now: deps.now(), baseUrl: deps.baseUrl() };
  const test = leased.deliveries.find(isTest);
  if (first === undefined && test === undefined) return withdrawn(deps.now());
  // A test that is due with a digest is answered by the digest.
  const mail =
    first === undefined
      ? composeTestMail(leased, test?.id ?? '', context)
      : composeMail(leased, [first, ...others], context);
  const result = await outgoingMail.send(mail, signal);
  if (result === 'interrupted') return { kind: 'released' };
  return judgeMail(result, {
    // The deliveries of a digest may have joined it at different attempts.
    attempts: Math.max(...leased.deliveries.map(({ attempts }) => attempts)),
    failingSince: leased.destination.failingSince,
    now: deps.now(),
    chance: deps.random(),
  });
}

/** A deleted report is not sent, even if an earlier attempt was interrupted or failed. */
function settle(delivery: LeasedMailDelivery, outcome: AttemptOutcome, now: Date): SettledMail {
  const isGone = delivery.report === undefined && !isTest(delivery);
  return { delivery, outcome: isGone ? withdrawn(now) : outcome };
}

/** A test is about no report. */
function isTest({ reportId }: LeasedMailDelivery): boolean {
  return reportId === undefined;
}

function withdrawn(at: Date): AttemptOutcome {
  const error = 'The report was deleted before it was sent.';
  const noPause = { pause: 'never', pauseUntil: at } as const;
  return { kind: 'dead', status: undefined, error, disable: undefined, ...noPause, at };
}
