import { type RawBuilder, sql } from 'kysely';
import type { C2Address } from '../../../domain/reports/c2-address.ts';
import type { FileEvidence } from '../../../domain/reports/confirmation.ts';
import { confirmationOf } from '../../../domain/reports/confirmation.ts';
import { familyOfC2 } from '../../../domain/samples/analysis-report.ts';
import { hostKey, isAddress } from '../../../domain/search-query.ts';
import { ONE, query } from '../../units/query.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';
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
const NAMES_DEAD_DROP = sql<number>`case
  when sample.body like '%"Dead Drops":"%' or sample.body like '%"SETTING_DEAD_DROP"%'
  then 1 else 0 end`;

function hasC2(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`case when exists (
    select 1 from sample_c2 where sample_c2.sample_id = sample.id and ${condition}
  ) then 1 else 0 end`;
}

/** All rows of a sample have the same value; null in older ones. */
const HAS_MORE = sql<number | null>`(
  select sample_c2.has_more from sample_c2 where sample_c2.sample_id = sample.id limit 1
)`;

/**
 * The family whose settings name the C2: the first of the analysis; null in older rows. The minimum
 * is that of an expression: for the number itself, PostgreSQL walks the C2 through all samples.
 */
function familyNaming({ reversed, port }: Record<'reversed' | 'port', unknown>) {
  return sql<string | null>`(
    select sample_c2.family from sample_c2
    where sample_c2.number = (
      select min(named.number + 0) from sample_c2 as named
      where named.sample_id = sample.id
        and named.reversed = ${reversed} and named.port = ${port}
    )
  )`;
}

const selectEvidence = query<ValueRange & C2Parameters>()((db, parameter, dialect) =>
  inRange(db, parameter, dialect)
    .select([
      'sample.family',
      hasC2(
        sql`sample_c2.reversed = ${parameter.reversed} and sample_c2.port = ${parameter.port}`,
      ).as('is_named'),
      hasC2(sql`${IS_ADDRESS} = ${parameter.isAddress}`).as('has_same_kind'),
      HAS_MORE.as('has_more'),
      familyNaming(parameter).as('settings_family'),
    ])
    .where('sample.sha256', '=', parameter.value)
    // At most one matches. SQLite would read the next row, often of another page.
    .limit(ONE),
);

const selectDeadDrop = query<ValueRange>()((db, parameter, dialect) =>
  inRange(db, parameter, dialect)
    .select(NAMES_DEAD_DROP.as('names_dead_drop'))
    .where('sample.sha256', '=', parameter.value)
    .limit(ONE),
);

interface EvidenceRow {
  readonly is_named: number;
  readonly has_same_kind: number;
  readonly has_more: number | null;
}

export interface ReportedC2 extends C2Address {
  readonly sha256: string;
}

/**
 * What the analyses of files say about these C2s, in their order; `undefined` for a file without an
 * analysis. One step, so that a create reads it together with others, except for old analyses.
 */
export function* evidenceOf(
  reported: readonly ReportedC2[],
): UnitOfWork<readonly (FileEvidence | undefined)[]> {
  const found = (yield* each(selectEvidence, reported.map(parametersOf))).map(([row]) => row);
  const deadDrops = yield* filesWithDeadDrops(
    reported.filter((_, index) => isUndecided(found[index])).map(({ sha256 }) => sha256),
  );
  return found.map((row, index) => {
    if (row === undefined) return undefined;
    const confirmation = confirmationOf({
      isNamed: row.is_named === 1,
      hasSameKind: row.has_same_kind === 1,
      hasMore: row.has_more === 1 || deadDrops.has(reported[index]?.sha256 ?? ''),
    });
    const family = familyOfC2(row.settings_family ?? undefined, row.family ?? undefined);
    return { family, confirmation };
  });
}

/** Whether the text of the analysis decides. */
function isUndecided(row: EvidenceRow | undefined): boolean {
  return row?.has_more === null && row.has_same_kind === 1 && row.is_named === 0;
}

/** Reads the text of each analysis once, which may be long. */
function* filesWithDeadDrops(hashes: readonly string[]): UnitOfWork<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const distinct = [...new Set(hashes)];
  const found = yield* each(selectDeadDrop, distinct.map(valueRange));
  return new Set(distinct.filter((_, index) => found[index]?.[0]?.names_dead_drop === 1));
}

function parametersOf({ sha256, host, port }: ReportedC2) {
  const { from, to, value } = valueRange(sha256);
  return { from, to, value, reversed: hostKey(host), port, isAddress: Number(isAddress(host)) };
}
