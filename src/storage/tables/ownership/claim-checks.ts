import type { SettledClaim } from '../../../domain/ownership/claim.ts';
import type { ServiceClaimRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';

interface BeginValues {
  slug: string;
  suffix: string;
  method: ServiceClaimRow['method'];
  asked_at: string;
  before: string;
}

/** Only one of several concurrent calls gets a row. */
export const insertAsked = query<BeginValues>()((db, parameter) =>
  db
    .insertInto('service_claim')
    .values(all(parameter, ['slug', 'suffix', 'method', 'asked_at']))
    .onConflict((conflict) =>
      conflict
        .columns(['slug', 'suffix'])
        .doUpdateSet({ asked_at: parameter.asked_at })
        .where('service_claim.asked_at', '<=', parameter.before),
    )
    .returning('suffix'),
);

export const selectAsked = query<{ slug: string; suffix: string }>()((db, parameter) =>
  db
    .selectFrom('service_claim')
    .select('asked_at')
    .where('slug', '=', parameter.slug)
    .where('suffix', '=', parameter.suffix),
);

const SETTLED = [
  'method',
  'verified_at',
  'checked_at',
  'failing_since',
  'problem',
  'due_at',
] as const;

type SettledValues = Pick<ServiceClaimRow, 'slug' | 'suffix' | (typeof SETTLED)[number]>;

export const updateClaim = query<SettledValues>()((db, parameter) =>
  db
    .updateTable('service_claim')
    .set({ ...all(parameter, SETTLED), leased_until: null })
    .where('slug', '=', parameter.slug)
    .where('suffix', '=', parameter.suffix),
);

export function toRow(slug: string, { claim, dueAt }: SettledClaim): SettledValues {
  return {
    slug,
    suffix: claim.suffix,
    method: claim.method,
    verified_at: textOf(claim.verifiedAt),
    checked_at: textOf(claim.checkedAt),
    failing_since: textOf(claim.failingSince),
    problem: claim.problem ?? null,
    due_at: textOf(dueAt),
  };
}

function textOf(date: Date | undefined): string | null {
  return date === undefined ? null : date.toISOString();
}
