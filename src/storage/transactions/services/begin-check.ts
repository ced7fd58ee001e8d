import { checkWaitMs } from '../../../domain/ownership/claim.ts';
import type { BegunCheck } from '../../../ports/ownership-store.ts';
import { insertAsked, selectAsked } from '../../tables/ownership/claim-checks.ts';
import { patternsWith } from '../../tables/services/service-patterns.ts';
import { lockFeeds } from '../../units/locks.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The time of the last check is compared in the statement that changes it. */
export function* beginCheck(
  check: BegunCheck,
): UnitOfWork<'begun' | 'absent' | { readonly waitMs: number }> {
  const { service: slug, suffix, method, now, intervalMs } = check;
  yield* lockFeeds([slug]);
  if ((yield* patternsWith(slug, suffix)).length === 0) return 'absent';
  const begun = yield* row(insertAsked, {
    slug,
    suffix,
    method,
    asked_at: now.toISOString(),
    before: new Date(now.getTime() - intervalMs).toISOString(),
  });
  if (begun !== undefined) return 'begun';
  const asked = yield* row(selectAsked, { slug, suffix });
  return { waitMs: checkWaitMs(asked && new Date(asked.asked_at), check) };
}
