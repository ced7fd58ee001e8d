import type { AttemptOutcome } from '../domain/webhooks/webhook-retries.ts';
import type { Log } from '../observability/log.ts';
import { type SendMailDependencies, sendMail } from '../operations/mail/send-mail.ts';
import type { ClaimedMail } from '../ports/mail-store.ts';
import { FailureLog } from './failure-log.ts';
import { LeasedClaims } from './leased-claims.ts';

export interface MailRunnerDependencies extends SendMailDependencies {
  readonly log: Log;
  /** Called with the outcome of each attempt, for the metrics. */
  settled(outcome: AttemptOutcome['kind']): void;
}

/** Mail servers limit the connections of a client, often to 10 or 20. */
const CAPACITY = 4;
const PER_DESTINATION = 2;
/** A digest of this many reports has some 300 kB. More reports of a day are in further mails. */
const PER_MAIL = 100;

/** Sends mails that are due. Housekeeping of deliveries is that of webhooks. */
export class MailRunner {
  readonly #deps: MailRunnerDependencies;
  readonly #claims: LeasedClaims<ClaimedMail>;
  readonly #failures: FailureLog;

  constructor(deps: MailRunnerDependencies) {
    this.#deps = deps;
    this.#failures = new FailureLog(deps.log, () => deps.now());
    this.#claims = new LeasedClaims({
      capacity: CAPACITY,
      log: deps.log,
      noun: 'mail',
      now: () => deps.now(),
      claim: (limit, lease) =>
        deps.store.mail.claim({
          ...lease,
          limit,
          perDestination: PER_DESTINATION,
          perMail: PER_MAIL,
        }),
      renew: (claimed, lease) => deps.store.mail.renew(claimed, lease),
      attempt: (claimed, signal) => this.#attempt(claimed, signal),
    });
    this.wake();
  }

  /** A mail may be due. */
  wake(): void {
    this.#claims.wake();
  }

  idle(): Promise<void> {
    return this.#claims.idle();
  }

  stop(graceMs?: number): Promise<void> {
    return this.#claims.stop(graceMs);
  }

  async #attempt(claimed: ClaimedMail, signal: AbortSignal): Promise<void> {
    const outcome = await sendMail(this.#deps, claimed, signal);
    this.#deps.settled(outcome.kind);
    if (outcome.kind === 'delivered' || outcome.kind === 'released') return;
    const { service } = claimed.destination;
    const reports = claimed.deliveries.length;
    const { status, error } = outcome;
    const nextAttempt = outcome.kind === 'again' ? outcome.dueAt.toISOString() : null;
    const failure = { service, reports, status, error, nextAttempt };
    this.#failures.failed(service, failure, 'a mail was not delivered');
  }
}
