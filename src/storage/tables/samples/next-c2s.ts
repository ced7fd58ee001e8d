import { sql } from 'kysely';
import { ONE, query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Skips through the C2s in the configuration of samples, in the order of their indexes. */

const selectNextPort = query<{ reversed: string; after: number }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select('port')
    .where('reversed', '=', parameter.reversed)
    .where('port', '>', parameter.after)
    .orderBy('port')
    .limit(ONE),
);

const selectNextHost = query<{ after: string; to: string }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select('reversed')
    .where('reversed', '>', parameter.after)
    .where('reversed', '<', parameter.to)
    // A literal, as in the partial index.
    .where(sql<boolean>`leads = 1`)
    .orderBy('reversed')
    .limit(ONE),
);

/** The next port of the host, given by its key; none if there is none. */
export function* nextPortInSettings(
  reversed: string,
  after: number,
): UnitOfWork<readonly number[]> {
  return (yield* rows(selectNextPort, { reversed, after })).map(({ port }) => port);
}

/** The key of the next host; none if there is none. */
export function* nextHostInSettings(range: {
  readonly after: string;
  readonly to: string;
}): UnitOfWork<readonly string[]> {
  return (yield* rows(selectNextHost, { ...range })).map(({ reversed }) => reversed);
}
