import type { AttemptOutcome } from '../domain/deliveries/retries.ts';
import type { Log } from '../observability/log.ts';
import { type SendMailDependencies, sendMail } from '../operations/mail/send-mail.ts';
import type { LeasedMail } from '../ports/mail-store.ts';
import { FailureLog } from './failure-log.ts';
import { LeasedWork } from './leased-work.ts';

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
  readonly #work: LeasedWork<LeasedMail>;
  readonly #failures: FailureLog;

  constructor(deps: MailRunnerDependencies) {
    this.#deps = deps;
    this.#failures = new FailureLog(deps.log, () => deps.now());
    this.#work = new LeasedWork({
      capacity: CAPACITY,
      log: deps.log,
      noun: 'mail',
      now: () => deps.now(),
      lease: (limit, lease) =>
        deps.store.mail.lease({
          ...lease,
          limit,
          perDestination: PER_DESTINATION,
          perMail: PER_MAIL,
        }),
      renew: (leased, lease) => deps.store.mail.renew(leased, lease),
      attempt: (leased, signal) => this.#attempt(leased, signal),
    });
    this.wake();
  }

  /** A mail may be due. */
  wake(): void {
    this.#work.wake();
  }

  idle(): Promise<void> {
    return this.#work.idle();
  }

  stop(graceMs?: number): Promise<void> {
    return this.#work.stop(graceMs);
  }

  async #attempt(leased: LeasedMail, signal: AbortSignal): Promise<void> {
    const outcome = await sendMail(this.#deps, leased, signal);
    this.#deps.settled(outcome.kind);
    if (outcome.kind === 'delivered' || outcome.kind === 'released') return;
    const { service } = leased.destination;
    const reports = leased.deliveries.length;
    const { status, error } = outcome;
    const nextAttempt = outcome.kind === 'again' ? outcome.dueAt.toISOString() : null;
    const failure = { service, reports, status, error, nextAttempt };
    this.#failures.failed(service, failure, 'a mail was not delivered');
  }
}
