import { ROLES, type Role } from '../../../domain/accounts/caller.ts';
import { ONE, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The texts of `roles` that include the administrator, in any order of the roles. */
const ADMINISTERING = orderings(ROLES)
  .filter((roles) => roles.includes('admin'))
  .map((roles) => JSON.stringify(roles));

/** All lists of some of the roles, each role at most once. */
function orderings(roles: readonly Role[]): readonly (readonly Role[])[] {
  return [
    [],
    ...roles.flatMap((first) =>
      orderings(roles.filter((role) => role !== first)).map((rest) => [first, ...rest]),
    ),
  ];
}

const selectAdministrator = query<{ now: string; besides: string }>()((db, parameter) =>
  db
    .selectFrom('account')
    .select('id')
    .where('roles', 'in', ADMINISTERING)
    .where('disabled', '=', 0)
    .where((where) =>
      where.or([where('expires_at', 'is', null), where('expires_at', '>', parameter.now)]),
    )
    .where('id', '<>', parameter.besides)
    .limit(ONE),
);

/** Whether an account besides that one administers. */
export function* hasAdministrator(now: Date, besides = ''): UnitOfWork<boolean> {
  return (yield* row(selectAdministrator, { now: now.toISOString(), besides })) !== undefined;
}
