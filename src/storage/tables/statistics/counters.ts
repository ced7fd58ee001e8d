import type { Confirmation } from '../../../domain/reports/confirmation.ts';
import type { ReportStatus } from '../../../domain/reports/desk.ts';
import type { Answer } from '../../../domain/reports/statistics.ts';
import type { Judgement } from '../../../domain/trust/judgement.ts';
import { type Outcome, outcomeOf } from '../../../domain/trust/outcome.ts';
import {
  ACKNOWLEDGED_COLUMNS,
  ACTED_COLUMNS,
  type DayColumn,
} from '../../schema/statistic-tables.ts';
import { allInParallel, type UnitOfWork } from '../../units/unit-of-work.ts';
import { ReporterChanges } from './reporter-changes.ts';
import { addTo, addToDay, type ScopeChanges, scopeIn, writeScopes } from './scope-changes.ts';

export interface CountedStatus {
  readonly status: ReportStatus;
  readonly statusReason?: string | undefined;
  /** By others. Absent if it does not change. */
  readonly judgement?: Judgement | undefined;
}

export interface CountedReport {
  readonly status: ReportStatus;
  readonly status_reason?: string | null | undefined;
  /** By others. Absent of a new report. */
  readonly judgement?: Judgement | null | undefined;
  /** ISO text. */
  readonly reported_at: string;
  readonly name: string;
  readonly reporter_id: string;
  readonly confirmation: Confirmation;
  /** 0 or 1. */
  readonly recurrence: number;
}

/**
 * Collects what the changes of a unit of work add to the counters, so that each row is written
 * once. The caller has locked the feeds. The rows of all feeds together are shared by feeds: a unit
 * writes them once, in one order, and after everything but rows of the locked feeds. So others wait
 * for them briefly, and two units cannot deadlock.
 */
export class StatisticCounts {
  readonly #feeds: ScopeChanges = new Map();
  readonly #reporters = new ReporterChanges();

  /** `by` is -1 for a report that is deleted. */
  addReport(
    serviceId: number,
    report: CountedReport,
    { isMisrouted, by = 1 }: { readonly isMisrouted: boolean; readonly by?: number },
  ): void {
    const { reported_at, name, status, reporter_id, confirmation } = report;
    const feed = scopeIn(this.#feeds, serviceId);
    feed.totals[status] += by;
    addTo(feed.families, name, by);
    addToDay(feed, reported_at, 'reported', by);
    const outcome = outcomeOf(status, report.status_reason);
    this.#addOutcome(serviceId, reporter_id, { outcome, judgement: report.judgement }, by);
    if (confirmation !== 'unknown') this.#addConfirmation(serviceId, reporter_id, confirmation, by);
    if (isMisrouted) feed.totals.misrouted += by;
    if (report.recurrence === 0) return;
    feed.totals.recurrences += by;
    addToDay(feed, reported_at, 'recurrences', by);
  }

  /** The status, the reason or the judgement of a report that is counted already. */
  changeStatus(
    serviceId: number,
    reporterId: string,
    from: CountedStatus,
    to: CountedStatus,
  ): void {
    const { totals } = scopeIn(this.#feeds, serviceId);
    totals[from.status] -= 1;
    totals[to.status] += 1;
    this.#addOutcome(serviceId, reporterId, judgedOutcome(from), -1);
    this.#addOutcome(serviceId, reporterId, judgedOutcome(to), 1);
  }

  /** The confirmation of a report that is counted already. */
  changeConfirmation(
    serviceId: number,
    reporterId: string,
    from: Confirmation,
    to: Confirmation,
  ): void {
    if (from !== 'unknown') this.#addConfirmation(serviceId, reporterId, from, -1);
    if (to !== 'unknown') this.#addConfirmation(serviceId, reporterId, to, 1);
  }

  /** Whether a report that is counted already is in the wrong feed. */
  changeMisrouted(serviceId: number, from: boolean, to: boolean): void {
    scopeIn(this.#feeds, serviceId).totals.misrouted += Number(to) - Number(from);
  }

  /** A status that was set at that time; counted if it is final. */
  addStatusSet(serviceId: number, status: ReportStatus, at: string, by = 1): void {
    if (status === 'open' || status === 'acknowledged') return;
    addToDay(scopeIn(this.#feeds, serviceId), at, status, by);
  }

  /** The first answer that is final. */
  addAnswer(serviceId: number, answer: Answer, by = 1): void {
    this.#addBucket(serviceId, ACTED_COLUMNS, answer, by);
  }

  /** The first answer of any kind. */
  addAcknowledgement(serviceId: number, answer: Answer, by = 1): void {
    this.#addBucket(serviceId, ACKNOWLEDGED_COLUMNS, answer, by);
  }

  rename(serviceId: number, before: string, after: string): void {
    const { families } = scopeIn(this.#feeds, serviceId);
    addTo(families, before, -1);
    addTo(families, after, 1);
  }

  /** A second call writes what was added since. */
  *write(): UnitOfWork<void> {
    const feeds = new Map(this.#feeds);
    this.#feeds.clear();
    yield* allInParallel([this.#reporters.write(), writeScopes(feeds)]);
  }

  #addOutcome(
    serviceId: number,
    reporterId: string,
    { outcome, judgement }: JudgedOutcome,
    by: number,
  ): void {
    this.#reporters.add(serviceId, reporterId, outcome, by);
    if (judgement) this.#reporters.add(serviceId, reporterId, `judged_${judgement}`, by);
  }

  #addConfirmation(
    serviceId: number,
    reporterId: string,
    confirmation: Exclude<Confirmation, 'unknown'>,
    by: number,
  ): void {
    scopeIn(this.#feeds, serviceId).totals[confirmation] += by;
    this.#reporters.add(serviceId, reporterId, confirmation, by);
  }

  #addBucket(
    serviceId: number,
    columns: readonly DayColumn[],
    { at, bucket }: Answer,
    by: number,
  ): void {
    const column = columns[bucket];
    if (column === undefined) throw new Error(`no such bucket: ${bucket}`);
    addToDay(scopeIn(this.#feeds, serviceId), at.toISOString(), column, by);
  }
}

interface JudgedOutcome {
  readonly outcome: Outcome;
  readonly judgement: Judgement | null | undefined;
}

function judgedOutcome({ status, statusReason, judgement }: CountedStatus): JudgedOutcome {
  return { outcome: outcomeOf(status, statusReason), judgement };
}
