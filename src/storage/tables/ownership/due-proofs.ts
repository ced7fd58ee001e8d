import type { DueProof, DueProofsRequest } from '../../../ports/ownership-store.ts';
import { lockTask } from '../../units/locks.ts';
import { ONE, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const selectLeased = query<{ now: string }>()((db, parameter) =>
  db
    .selectFrom('service_claim')
    .select('slug')
    .where('leased_until', '>', parameter.now)
    .orderBy('leased_until')
    .limit(ONE),
);

const selectDue = query<{ now: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('service_claim')
    .innerJoin('service_challenge', 'service_challenge.slug', 'service_claim.slug')
    .select(['service_claim.slug', 'suffix', 'method', 'token'])
    .where('due_at', '<=', parameter.now)
    .orderBy('due_at')
    .limit(parameter.limit),
);

const updateLease = query<{ slug: string; suffix: string; leased_until: string }>()(
  (db, parameter) =>
    db
      .updateTable('service_claim')
      .set({ leased_until: parameter.leased_until })
      .where('slug', '=', parameter.slug)
      .where('suffix', '=', parameter.suffix),
);

/**
 * Leases proofs that are due. One node at a time has leases, so that the checks that run at once
 * are few, however many nodes there are. Those of a lost node end by themselves.
 */
export function* leaseDueProofs({
  now,
  limit,
  leaseMs,
}: DueProofsRequest): UnitOfWork<readonly DueProof[]> {
  yield* lockTask('check proofs');
  if ((yield* row(selectLeased, { now: now.toISOString() })) !== undefined) return [];
  const due = yield* rows(selectDue, { now: now.toISOString(), limit });
  const leased_until = new Date(now.getTime() + leaseMs).toISOString();
  yield* each(
    updateLease,
    due.map(({ slug, suffix }) => ({ slug, suffix, leased_until })),
  );
  return due.map(({ slug, suffix, method, token }) => ({ service: slug, suffix, method, token }));
}
