import type { Claim } from '../../../domain/ownership/claim.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { ServiceClaimRow } from '../../schema/tables.ts';
import { writeAudit } from '../../units/audit.ts';
import { query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The claims of one service: at most as many as the hosts that it declares. */

const selectClaims = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service_claim').selectAll().where('slug', '=', parameter.slug).orderBy('suffix'),
);

const selectClaim = query<{ slug: string; suffix: string }>()((db, parameter) =>
  db
    .selectFrom('service_claim')
    .selectAll()
    .where('slug', '=', parameter.slug)
    .where('suffix', '=', parameter.suffix),
);

const selectVerified = query<{ slug: string }>()((db, parameter) =>
  db
    .selectFrom('service_claim')
    .select('suffix')
    .where('slug', '=', parameter.slug)
    .where('verified_at', 'is not', null),
);

const deleteClaim = query<{ slug: string; suffix: string }>()((db, parameter) =>
  db
    .deleteFrom('service_claim')
    .where('slug', '=', parameter.slug)
    .where('suffix', '=', parameter.suffix),
);

export function* listClaims(slug: string): UnitOfWork<readonly Claim[]> {
  return (yield* rows(selectClaims, { slug })).map(fromClaimRow);
}

export function* findClaim(slug: string, suffix: string): UnitOfWork<Claim | undefined> {
  const found = yield* row(selectClaim, { slug, suffix });
  return found && fromClaimRow(found);
}

/** The suffixes that a service has proven. */
export function* verifiedSuffixes(slug: string): UnitOfWork<ReadonlySet<string>> {
  return new Set((yield* rows(selectVerified, { slug })).map(({ suffix }) => suffix));
}

export function* verifiedOfServices(
  slugs: readonly string[],
): UnitOfWork<readonly ReadonlySet<string>[]> {
  const found = yield* each(
    selectVerified,
    slugs.map((slug) => ({ slug })),
  );
  return found.map((verified) => new Set(verified.map(({ suffix }) => suffix)));
}

/** Deletes the claims of hosts that the service does not declare any more. */
export function* deleteUndeclared(
  slug: string,
  declared: ReadonlySet<string>,
  audit: AuditContext,
): UnitOfWork<void> {
  const gone = (yield* listClaims(slug)).filter(({ suffix }) => !declared.has(suffix));
  yield* each(
    deleteClaim,
    gone.map(({ suffix }) => ({ slug, suffix })),
  );
  const withdrawn = gone.filter(({ verifiedAt }) => verifiedAt !== undefined);
  if (withdrawn.length === 0) return;
  const suffixes = withdrawn.map(({ suffix }) => suffix);
  yield* writeAudit(audit, 'ownership.withdraw', slug, { suffixes, reason: 'not declared' });
}

function fromClaimRow(row: ServiceClaimRow): Claim {
  return {
    suffix: row.suffix,
    method: row.method,
    verifiedAt: dateOf(row.verified_at),
    checkedAt: dateOf(row.checked_at),
    failingSince: dateOf(row.failing_since),
    problem: row.problem ?? undefined,
  };
}

function dateOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
