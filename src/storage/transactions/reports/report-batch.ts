import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import { isMisrouted, type Report } from '../../../domain/reports/report.ts';
import type { CreateOutcome, NewReport } from '../../../ports/report-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { NewReportRow } from '../../schema/tables.ts';
import { type FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import { takeReportNumbers } from '../../tables/installation/installation.ts';
import { ProposalClaims, ReportsByHand } from '../../tables/proposals/proposal-claims.ts';
import { Sightings } from '../../tables/reports/c2-history.ts';
import type { C2History, Sighting } from '../../tables/reports/c2-tally.ts';
import { listByHost } from '../../tables/reports/host-reports.ts';
import { insertReport } from '../../tables/reports/report-changes.ts';
import { type NewReportKeys, toRow } from '../../tables/reports/report-rows.ts';
import { putTags } from '../../tables/reports/report-tags.ts';
import { RetryKeys } from '../../tables/reports/retry-keys.ts';
import { SearchTerms } from '../../tables/search/search-terms.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { type WebhooksOfFeeds, webhooksOf } from '../../tables/webhooks/queue-deliveries.ts';
import { eachDeferred, inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvents } from './append-events.ts';
import { type Judgement, newReport } from './new-report.ts';
import { MIN_EXTENSION_MS, type RepeatedSighting, renewSiblings } from './renew-reports.ts';

/** A create whose caller may report, with what was read before its feed is locked. */
export interface Candidate extends Judgement {
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
  readonly keys: NewReportKeys;
  readonly history: C2History;
}

const UNKNOWN_SERVICE: CreateOutcome = { kind: 'unknown-service' };

/**
 * The creates of a batch from the lock of their feeds on. `load` is one step, and the writes are
 * sent with the commit. Only reports that renew others need further steps between the two.
 */
export class ReportBatch {
  readonly #candidates: readonly Candidate[];
  readonly #ofFeeds: readonly Candidate[];
  readonly #serializers: Serializers;
  readonly #sequences: SequenceAllocator;
  readonly #retries = new RetryKeys();
  readonly #proposals = new ProposalClaims();
  readonly #sightings: Sightings;
  readonly #terms = new SearchTerms();
  readonly #byHand: ReportsByHand;
  readonly #counts = new StatisticCounts();
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
    this.#byHand = new ReportsByHand(this.#ofFeeds.filter(isByHand).map(toByHand));
  }

  /** Locks the feeds until the commit, and reads what only they protect. */
  *load(): UnitOfWork<void> {
    const requests = this.#candidates.map(({ request }) => request);
    const { webhooks, numbers } = yield* inParallel({
      sequences: this.#sequences.reserve(),
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
  *accept(candidate: Candidate): UnitOfWork<CreateOutcome> {
    const outcome = yield* this.#decide(candidate);
    const { feed, sighting } = candidate;
    if (!('id' in outcome) || feed === undefined) return outcome;
    return this.#sightings.isRejected(sighting) ? { ...outcome, isC2Rejected: true } : outcome;
  }

  *#decide(candidate: Candidate): UnitOfWork<CreateOutcome> {
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
    if (this.#accepted.length > 0) yield* this.#addReports();
    yield* this.#retries.write();
    yield* this.#proposals.write();
    yield* this.#sequences.releaseUnused();
    // Last: other feeds have rows of the same counters.
    yield* this.#counts.write();
  }

  *#addReports(): UnitOfWork<void> {
    const histories = this.#sightings.count(
      this.#accepted.map(({ candidate }) => candidate.sighting),
    );
    const added = this.#accepted.map(
      // One for each of `#accepted`.
      (accepted, index) => this.#toAdded(accepted, histories[index] as C2History, index),
    );
    const written = added.map(({ report, keys }) => toRow(report, keys, this.#serializers));
    // One for each of `added`.
    for (const [index, { report, keys }] of added.entries())
      this.#counts.addReport(keys.serviceId, written[index] as NewReportRow, {
        isMisrouted: isMisrouted(report),
      });
    yield* this.#byHand.write(added.map(({ candidate: { request } }) => request));
    yield* this.#sightings.write();
    yield* eachDeferred(insertReport, written);
    yield* putTags(added.map(({ report, keys }) => ({ keys, tags: report.tags })));
    yield* this.#terms.write(
      added.map(({ candidate, history }) => ({
        ...toSearched(candidate),
        isNewHost: !history.isKnownHost,
      })),
    );
    yield* listByHost(added.filter(({ history }) => history.isFrequentHost).map(toHostReport));
    yield* appendEvents(
      added.map(({ report, position, keys: { number } }, index) => ({
        position,
        event: {
          type: 'created',
          reportId: report.id,
          at: written[index]?.reported_at ?? '',
          number,
        },
      })),
      this.#webhooks,
    );
    yield* renewSiblings(repeatedSightings(added), this.#sequences);
  }

  #toAdded({ candidate, position }: Accepted, history: C2History, index: number): Added {
    const { serviceId, addedAt } = position;
    const report = newReport(candidate.request, position, history, candidate);
    const keys = { number: this.#numbers[index] ?? 0, serviceId, addedAt };
    return { candidate, position, report, keys, history };
  }
}

/** Only what the settings of the file name is proposed, so other reports cost no statement. */
function isByHand({ request: { proposalId }, evidence }: Candidate): boolean {
  return evidence?.confirmation === 'confirmed' && proposalId === undefined;
}

function toByHand({ request, feed, route }: Candidate) {
  return { request, serviceId: feed?.id ?? 0, isRouted: route?.service === request.service };
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

/**
 * The C2s whose other reports are to be renewed: once for a batch, unless a later report of the
 * batch extends the expiry enough to be written. Most repeated C2s have been renewed recently, and
 * cost no further step.
 */
function repeatedSightings(added: readonly Added[]): readonly RepeatedSighting[] {
  const renewed = new Map<string, Date>();
  const soonest = new Map<string, number>();
  return added.flatMap(({ report, candidate, history }) => {
    const { service, c2, reportedAt: at, expiresAt } = report;
    const text = `${service} ${formatC2Address(c2)}`;
    const expiresMs = expiresAt.getTime();
    const firstMs =
      soonest.get(text) ?? history.soonestExpiry?.getTime() ?? Number.POSITIVE_INFINITY;
    soonest.set(text, Math.min(firstMs, expiresMs));
    if (history.sightings === 1 || expiresMs - firstMs < MIN_EXTENSION_MS) return [];
    const renewedUntil = renewed.get(text)?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (expiresMs - renewedUntil < MIN_EXTENSION_MS) return [];
    renewed.set(text, expiresAt);
    return { key: candidate.sighting.key, service, at, expiresAt };
  });
}
