import { type RawBuilder, sql } from 'kysely';
import type { C2Address } from '../../../domain/reports/c2-address.ts';
import { confirmationOf } from '../../../domain/reports/confirmation.ts';
import { isAddress } from '../../../domain/search-query.ts';
import type { FileEvidence } from '../../../ports/sample-store.ts';
import { each, ONE, query, type UnitOfWork } from '../../unit-of-work.ts';
import { hostKey } from '../search/search-terms.ts';
import { inRange, type ValueRange, valueRange } from './sample-rows.ts';

/** The settings of a file include those of its members: its analysis covers both. */

interface C2Parameters {
  reversed: string;
  port: number;
  /** 0 or 1. */
  isAddress: number;
}

/** Whether a host is an IP address: it has a colon, or nothing but digits and dots. */
const IS_ADDRESS = sql`case
  when sample_c2.reversed like '%:%' or trim(sample_c2.reversed, '0123456789.') = ''
  then 1 else 0 end`;

/** In analyses that are older than the column: the settings name a dead drop. */
const NAMES_DEAD_DROP = sql`case
  when sample.body like '%"Dead Drops":"%' or sample.body like '%"SETTING_DEAD_DROP"%'
  then 1 else 0 end`;

function hasC2(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`case when exists (
    select 1 from sample_c2 where sample_c2.sample_id = sample.id and ${condition}
  ) then 1 else 0 end`;
}

/** All rows of a sample have the same value. */
const HAS_MORE = sql<number>`coalesce((
  select coalesce(sample_c2.has_more, ${NAMES_DEAD_DROP})
  from sample_c2 where sample_c2.sample_id = sample.id limit 1
), 0)`;

const selectEvidence = query<ValueRange & C2Parameters>()((db, parameter, dialect) =>
  inRange(db, parameter, dialect)
    .select([
      'sample.family',
      hasC2(
        sql`sample_c2.reversed = ${parameter.reversed} and sample_c2.port = ${parameter.port}`,
      ).as('is_named'),
      hasC2(sql`${IS_ADDRESS} = ${parameter.isAddress}`).as('has_same_kind'),
      HAS_MORE.as('has_more'),
    ])
    .where('sample.sha256', '=', parameter.value)
    // At most one matches. SQLite would read the next row, often of another page.
    .limit(ONE),
);

export interface ReportedC2 extends C2Address {
  readonly sha256: string;
}

/**
 * What the analyses of files say about these C2s, in their order; `undefined` for a file without an
 * analysis. One step, so that a create reads it together with others.
 */
export function* evidenceOf(
  reported: readonly ReportedC2[],
): UnitOfWork<readonly (FileEvidence | undefined)[]> {
  const found = yield* each(selectEvidence, reported.map(parametersOf));
  return found.map(([row]) => {
    if (row === undefined) return undefined;
    const confirmation = confirmationOf({
      isNamed: row.is_named === 1,
      hasSameKind: row.has_same_kind === 1,
      hasMore: row.has_more === 1,
    });
    return { family: row.family ?? undefined, confirmation };
  });
}

function parametersOf({ sha256, host, port }: ReportedC2) {
  const { from, to, value } = valueRange(sha256);
  return { from, to, value, reversed: hostKey(host), port, isAddress: Number(isAddress(host)) };
}
