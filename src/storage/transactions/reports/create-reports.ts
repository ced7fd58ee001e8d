import { nameReport } from '../../../domain/reports/report.ts';
import type { Refusal } from '../../../ports/authority.ts';
import type { CreateOutcome, NewReport } from '../../../ports/report-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { lockRights, refusalsOf } from '../../tables/accounts/permission.ts';
import { evidenceOf } from '../../tables/samples/evidence.ts';
import { selectFeed } from '../../tables/services/feed-rows.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { lockFiles, lockRoutes } from '../../units/locks.ts';
import { each, inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type Candidate, ReportBatch } from './report-batch.ts';

/**
 * Runs a batch of creates in the order of arrival. Each step is taken for all of them, so that on
 * PostgreSQL a step is one round trip, and the feeds are locked during one of them: the first step
 * reads what needs no lock of a feed, the second locks the feeds and reads the rest, and the writes
 * are sent with the commit.
 */
export function* createReports(
  reports: readonly NewReport[],
  serializers: Serializers,
): UnitOfWork<readonly CreateOutcome[]> {
  const { refusals, candidates } = yield* findCandidates(reports);
  const batch = new ReportBatch(candidates, latestOf(reports), serializers);
  if (candidates.length > 0) yield* batch.load();
  const answers: CreateOutcome[] = [];
  let next = 0;
  for (const { tokenId } of reports) {
    const refusal = refusals.get(tokenId);
    if (refusal !== undefined) answers.push({ kind: 'refused', refusal });
    // One for each request that is not refused, in order.
    else answers.push(yield* batch.decide(candidates[next++] as Candidate));
  }
  yield* batch.write();
  return answers;
}

interface Found {
  /** By token. */
  readonly refusals: ReadonlyMap<string | undefined, Refusal | undefined>;
  readonly candidates: readonly Candidate[];
}

/** Takes the locks that come before those of feeds, and then reads what they protect. */
function* findCandidates(reports: readonly NewReport[]): UnitOfWork<Found> {
  const slugs = [...new Set(reports.map(({ service }) => service))];
  const { refusals, feeds, evidence, routes } = yield* inParallel({
    rightsLock: lockRights(reports.flatMap(authorityOf)),
    // A concurrent analysis of these files waits for the commit, and then updates these reports.
    filesLock: lockFiles(
      reports.map(({ sha256 }) => sha256),
      { isShared: true },
    ),
    routesLock: lockRoutes({ isShared: true }),
    refusals: refusalsByToken(reports),
    feeds: each(
      selectFeed,
      slugs.map((slug) => ({ slug })),
    ),
    evidence: evidenceOf(reports.map(({ sha256, c2 }) => ({ sha256, ...c2 }))),
    routes: routesOf(reports.map(({ c2 }) => c2.host)),
  });
  const feedOf = new Map(slugs.map((slug, index) => [slug, feeds[index]?.[0]]));
  const candidates = reports.flatMap((request, index): readonly Candidate[] => {
    if (refusals.get(request.tokenId) !== undefined) return [];
    const { id, reporterId, c2, service, tags } = request;
    const feed = feedOf.get(service);
    const ofFile = evidence[index];
    const key = { service_id: feed?.id ?? 0, host: c2.host, port: c2.port };
    return [
      {
        request,
        name: nameReport(ofFile?.family, tags),
        feed,
        evidence: ofFile,
        route: routes.get(c2.host),
        sighting: { id, key, reporterId },
      },
    ];
  });
  return { refusals, candidates };
}

function authorityOf({ reporterId: accountId, tokenId }: NewReport) {
  return tokenId === undefined ? [] : [{ accountId, tokenId }];
}

/**
 * By token. The gate checked it when the request arrived, which may be minutes ago for a large one.
 */
function* refusalsByToken(reports: readonly NewReport[]): UnitOfWork<Found['refusals']> {
  const authorities = reports.flatMap(authorityOf);
  const refusals = yield* refusalsOf(authorities, {
    role: 'researcher',
    now: latestOf(reports),
  });
  return new Map(authorities.map(({ tokenId }, index) => [tokenId, refusals[index]]));
}

function latestOf(reports: readonly NewReport[]): Date {
  return new Date(Math.max(0, ...reports.map(({ reportedAt }) => reportedAt.getTime())));
}
