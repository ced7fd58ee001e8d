import { newReport, type ReportFacts } from '../../../domain/reports/new-report.ts';
import { renewing } from '../../../domain/reports/renewal.ts';
import { isMisrouted, type Report } from '../../../domain/reports/report.ts';
import { feedOfHost } from '../../../domain/services/unclaimed.ts';
import type { CreateOutcome, NewReport } from '../../../ports/report-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { NewReportRow } from '../../schema/tables.ts';
import { type WebhooksOfFeeds, webhooksOf } from '../../tables/deliveries/queue-deliveries.ts';
import { type FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import { takeReportNumbers } from '../../tables/installation/installation.ts';
import { ReportedProposals, ReportsByHand } from '../../tables/proposals/reported-proposals.ts';
import { Sightings } from '../../tables/reports/c2-history.ts';
import type { C2History, Sighting } from '../../tables/reports/c2-tally.ts';
import { type DatedReport, DayParts } from '../../tables/reports/day-parts.ts';
import { listByHost } from '../../tables/reports/host-reports.ts';
import { insertReport } from '../../tables/reports/report-changes.ts';
import { type NewReportKeys, toRow } from '../../tables/reports/report-rows.ts';
import { putTags } from '../../tables/reports/report-tags.ts';
import { RetryKeys } from '../../tables/reports/retry-keys.ts';
import { SearchTerms } from '../../tables/search/search-terms.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { eachDeferred, inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvents, type PositionedEvent } from './append-events.ts';
import { type RepeatedSighting, renewSiblings } from './renew-reports.ts';

/** A create whose caller may report, with what was read before its feed is locked. */
export interface Candidate extends ReportFacts {
  readonly request: NewReport;
  readonly name: string;
  /** `undefined`: there is no such feed. */
  readonly feed: { readonly id: number; readonly webhook_count: number } | undefined;
  readonly sighting: Sighting;
}

interface Accepted {
  readonly candidate: Candidate;
  readonly position: FeedPosition;
}

interface Added extends Accepted {
  readonly report: Report;
  readonly row: NewReportRow;
  readonly keys: NewReportKeys;
  readonly history: C2History;
}

const UNKNOWN_SERVICE: CreateOutcome = { kind: 'unknown-service' };

/**
 * The creates of a batch from the lock of their feeds on: `load`, `decide` for each, `write`. To
 * load is one step, and the writes are sent with the commit. Only reports that renew others need
 * further steps between the two.
 */
export class ReportBatch {
  readonly #candidates: readonly Candidate[];
  readonly #ofFeeds: readonly Candidate[];
  readonly #serializers: Serializers;
  readonly #sequences: SequenceAllocator;
  readonly #retries = new RetryKeys();
  readonly #proposals = new ReportedProposals();
  readonly #sightings: Sightings;
  readonly #terms = new SearchTerms();
  readonly #byHand: ReportsByHand;
  readonly #dayParts: DayParts;
  readonly #accepted: Accepted[] = [];
  #webhooks: WebhooksOfFeeds = new Map();
  #numbers: readonly number[] = [];

  constructor(candidates: readonly Candidate[], at: Date, serializers: Serializers) {
    this.#candidates = candidates;
    this.#ofFeeds = candidates.filter(({ feed }) => feed !== undefined);
    this.#serializers = serializers;
    this.#sequences = new SequenceAllocator(
      this.#ofFeeds.map(({ request }) => request),
      at,
    );
    this.#sightings = new Sightings(this.#ofFeeds.map(({ sighting }) => sighting));
    this.#dayParts = new DayParts(this.#ofFeeds.map(toDated));
    this.#byHand = new ReportsByHand(this.#ofFeeds.filter(isByHand).map(toByHand));
  }

  /** Locks the feeds until the commit, and reads what only they protect. */
  *load(): UnitOfWork<void> {
    const requests = this.#candidates.map(({ request }) => request);
    const { webhooks, numbers } = yield* inParallel({
      sequences: this.#sequences.reserve(),
      dayParts: this.#dayParts.load(),
      retries: this.#retries.load(requests),
      proposals: this.#proposals.load(requests),
      sightings: this.#sightings.load(),
      terms: this.#terms.load(this.#ofFeeds.map(toSearched)),
      byHand: this.#byHand.load(),
      webhooks: webhooksOf([...new Set(this.#ofFeeds.flatMap(idOfFeedWithWebhooks))]),
      numbers: takeReportNumbers(this.#ofFeeds.length),
    });
    this.#webhooks = webhooks;
    this.#numbers = numbers;
  }

  /** Decides on one create; `write` writes all that were accepted. */
  *decide(candidate: Candidate): UnitOfWork<CreateOutcome> {
    const outcome = yield* this.#answer(candidate);
    const { feed, sighting } = candidate;
    if (!('id' in outcome) || feed === undefined) return outcome;
    return this.#sightings.isRejected(sighting) ? { ...outcome, isC2Rejected: true } : outcome;
  }

  *#answer(candidate: Candidate): UnitOfWork<CreateOutcome> {
    const { request, feed } = candidate;
    const earlier = this.#retries.find(request) ?? this.#proposals.find(request);
    if (earlier !== undefined) return earlier;
    if (feed === undefined) return UNKNOWN_SERVICE;
    const position = yield* this.#sequences.take(request.service);
    if (position === undefined) return UNKNOWN_SERVICE;
    this.#accepted.push({ candidate, position });
    this.#retries.add(request, request.id);
    this.#proposals.add(request, { id: request.id, serviceId: position.serviceId });
    return { kind: 'created', id: request.id };
  }

  *write(): UnitOfWork<void> {
    const added = this.#addedReports();
    yield* this.#writeReports(added);
    yield* renewSiblings(renewing(added).map(toRepeated), this.#sequences);
    yield* this.#retries.write();
    yield* this.#proposals.write();
    yield* this.#sequences.releaseUnused();
    // Last: other feeds have rows of the same counters.
    yield* countReports(added);
  }

  #addedReports(): readonly Added[] {
    const histories = this.#sightings.count(
      this.#accepted.map(({ candidate }) => candidate.sighting),
    );
    return this.#accepted.map(({ candidate, position }, index) => {
      // One for each of `#accepted`.
      const history = histories[index] as C2History;
      const report = newReport(candidate.request, position, history, candidate);
      const { serviceId, addedAt } = position;
      const dayPart = this.#dayParts.take(toDated(candidate));
      const keys = { number: this.#numbers[index] ?? 0, serviceId, addedAt, dayPart };
      const row = toRow(report, keys, this.#serializers);
      return { candidate, position, report, row, keys, history };
    });
  }

  *#writeReports(added: readonly Added[]): UnitOfWork<void> {
    yield* this.#dayParts.write();
    yield* this.#byHand.write(added.map(({ candidate: { request } }) => request));
    yield* this.#sightings.write();
    yield* eachDeferred(
      insertReport,
      added.map(({ row }) => row),
    );
    yield* putTags(added.map(({ report, keys }) => ({ keys, tags: report.tags })));
    yield* this.#terms.write(
      added.map(({ candidate, history }) => ({
        ...toSearched(candidate),
        isNewHost: !history.isKnownHost,
      })),
    );
    yield* listByHost(added.filter(({ history }) => history.isFrequentHost).map(toHostReport));
    yield* appendEvents(added.map(toEvent), this.#webhooks);
  }
}

function* countReports(added: readonly Added[]): UnitOfWork<void> {
  const counts = new StatisticCounts();
  for (const { report, row, keys } of added)
    counts.addReport(keys.serviceId, row, { isMisrouted: isMisrouted(report) });
  yield* counts.write();
}

function toEvent({ row, position, keys: { number } }: Added): PositionedEvent {
  return {
    position,
    event: { type: 'created', reportId: row.id, at: row.reported_at, number },
  };
}

/** Only what the settings of the file name is proposed, so other reports cost no statement. */
function isByHand({ request: { proposalId }, evidence }: Candidate): boolean {
  return evidence?.confirmation === 'confirmed' && proposalId === undefined;
}

function toByHand({ request, feed, route }: Candidate) {
  const isRouted = feedOfHost(request.c2.host, route?.service) === request.service;
  return { request, serviceId: feed?.id ?? 0, isRouted };
}

function toDated({ request: { reportedAt }, feed }: Candidate): DatedReport {
  return { serviceId: feed?.id ?? 0, reportedAt };
}

function toSearched({ request: { tags, c2 }, name, feed }: Candidate) {
  return { serviceId: feed?.id ?? 0, report: { name, tags, host: c2.host } };
}

/** A feed that gets its first webhook before it is locked is read again with the events. */
function idOfFeedWithWebhooks({ feed }: Candidate): readonly number[] {
  return feed === undefined || feed.webhook_count === 0 ? [] : [feed.id];
}

function toHostReport({ report, keys, history }: Added) {
  return { ...keys, host: report.c2.host, isListed: history.isListedHost };
}

function toRepeated({ report, candidate }: Added): RepeatedSighting {
  const { service, reportedAt: at, expiresAt } = report;
  return { key: candidate.sighting.key, service, at, expiresAt };
}
