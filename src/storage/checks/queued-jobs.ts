import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../units/query.ts';

/**
 * Selects the analysis job of a file. This is the only statement of ours on a table of pg-boss: no
 * public call finds the jobs of many files at once, and `rapsheet doctor` checks all uploads.
 */
export function selectJobOf(
  sha256: Expression<Uint8Array>,
  dialect: Dialect,
): RawBuilder<{ readonly key: string }> {
  return dialect === 'sqlite'
    ? sql`select job.key from job where job.kind = 'analyse' and job.key = lower(hex(${sha256}))`
    : sql`
      select job.singleton_key as key from pgboss.job
      where job.name = 'analyse' and job.singleton_key = encode(${sha256}, 'hex')
        and job.state <= 'active'`;
}
