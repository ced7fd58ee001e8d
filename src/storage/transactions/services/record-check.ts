import {
  type Claim,
  isNews,
  type SettledClaim,
  settleClaim,
} from '../../../domain/ownership/claim.ts';
import { patternsOf } from '../../../domain/services/route.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { CheckRecord } from '../../../ports/ownership-store.ts';
import { toRow, updateClaim } from '../../tables/ownership/claim-checks.ts';
import { findClaim } from '../../tables/ownership/claims.ts';
import {
  markPattern,
  patternsWith,
  selectDeclared,
  selectOther,
} from '../../tables/services/service-patterns.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds, lockRoutes } from '../../units/locks.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { hasUnindexedPatterns } from './index-patterns.ts';
import { putPatterns } from './put-patterns.ts';
import { rerouteReports } from './reroute-reports.ts';

/**
 * Applies the result of a check to the claim and to the patterns of its host. The lock of the feed
 * keeps the declared hosts from changing in between. The lock of the routes comes before it, so the
 * claim is read once to know whether that is needed. If another check changed the claim meanwhile,
 * that result counts.
 */
export function* recordCheck(
  { service: slug, suffix, check, isRequested }: CheckRecord,
  audit: AuditContext,
): UnitOfWork<Claim | 'absent'> {
  const first = yield* findClaim(slug, suffix);
  const isChange = first !== undefined && settleClaim(first, check).change !== undefined;
  if (isChange) yield* lockRoutes();
  yield* lockFeeds([slug]);
  const known = yield* findClaim(slug, suffix);
  const declared = yield* patternsWith(slug, suffix);
  if (known === undefined || declared.length === 0) return 'absent';
  const settled = settleClaim(known, check);
  if (settled.change !== undefined && !isChange) return known;
  yield* rows(updateClaim, toRow(slug, settled));
  if (settled.change !== undefined)
    yield* setVerified(slug, declared, settled.change === 'verified' ? 1 : 0);
  if (isRequested || isNews(known, settled)) {
    const { problem = null } = settled.claim;
    yield* writeAudit(audit, actionOf(settled), slug, { suffix, method: check.method, problem });
  }
  return settled.claim;
}

/**
 * If two services declare the same, the verified one answers. Other changes leave the routes
 * of reports as they are.
 */
function* setVerified(slug: string, hosts: readonly string[], verified: number): UnitOfWork<void> {
  if (yield* hasUnindexedPatterns()) {
    yield* indexAll(slug);
    return;
  }
  const patterns = patternsOf({ hosts, networks: [] });
  yield* each(
    markPattern,
    patterns.map(({ key, pattern }) => ({ key, slug, pattern, verified })),
  );
  const others = yield* each(
    selectOther,
    patterns.map(({ key }) => ({ key, slug })),
  );
  if (others.flat().length > 0) yield* rerouteReports();
}

/** Reports are routed again when the patterns of all services are indexed. */
function* indexAll(slug: string): UnitOfWork<void> {
  const found = yield* row(selectDeclared, { slug });
  const { hosts = '[]', networks = '[]' } = found ?? {};
  yield* putPatterns({ slug, hosts: JSON.parse(hosts), networks: JSON.parse(networks) });
}

function actionOf({ change }: SettledClaim): string {
  if (change === undefined) return 'ownership.check';
  return change === 'verified' ? 'ownership.verify' : 'ownership.withdraw';
}
