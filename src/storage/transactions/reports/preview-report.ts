import { newReport } from '../../../domain/reports/new-report.ts';
import type { NewReport, ReportPreview } from '../../../ports/report-store.ts';
import { Sightings } from '../../tables/reports/c2-history.ts';
import type { C2History } from '../../tables/reports/c2-tally.ts';
import { evidenceOf } from '../../tables/samples/evidence.ts';
import { selectFeed } from '../../tables/services/feed-rows.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { inParallel, row, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The report that a create would store now, with the statements that a create reads with. */
export function* previewReport(request: NewReport): UnitOfWork<ReportPreview | undefined> {
  const { id, sha256, reporterId, c2, service: slug } = request;
  const feed = yield* row(selectFeed, { slug });
  if (feed === undefined) return undefined;
  const key = { service_id: feed.id, host: c2.host, port: c2.port };
  const sighting = { id, key, reporterId };
  const sightings = new Sightings([sighting]);
  const { evidence, routes } = yield* inParallel({
    sightings: sightings.load(),
    evidence: evidenceOf([{ sha256, ...c2 }]),
    routes: routesOf([c2.host]),
  });
  // One for the sighting.
  const history = sightings.count([sighting])[0] as C2History;
  const position = { sequence: 0, expireAfterDays: feed.expire_after_days };
  return {
    report: newReport(request, position, history, {
      evidence: evidence[0],
      route: routes.get(c2.host),
    }),
    isFirst: history.firstSeenId === undefined,
    ownReports: Math.max(0, sightings.ownReports(sighting) - 1),
    isC2Rejected: sightings.isRejected(sighting),
  };
}
