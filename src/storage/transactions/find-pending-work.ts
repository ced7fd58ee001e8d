import { type Expression, type RawBuilder, sql } from 'kysely';
import type { PendingWork } from '../../ports/pending-work.ts';
import { readyMail, readyWebhooks } from '../tables/deliveries/delivery-leases.ts';
import { query } from '../units/query.ts';

/** Whether a destination is busy is decided when its deliveries are leased. */
const ANY_NUMBER = 2 ** 31 - 1;

/**
 * Whether any background work is due. One statement, which every process of a cluster repeats: an
 * idle one sends nothing else. Each part stops at the first row of an index.
 */
export const selectPendingWork = query<{ now: string; keyId: string }>()(
  (db, { now, keyId }, dialect) => {
    const ready = { now, perDestination: ANY_NUMBER, limit: sql.lit(1) };
    return db.selectNoFrom([
      // The conditions of partial indexes, in their words: otherwise the indexes are not used.
      exists(
        sql`select 1 from upload where state in ('queued', 'running') order by uploaded_at limit 1`,
      ).as('unfinished'),
      exists(sql`select 1 from upload where reanalysis = 'queued' order by sha256 limit 1`).as(
        'queued_again',
      ),
      isFound(readyWebhooks({ db, dialect }, { ...ready, keyId })).as('webhooks'),
      isFound(readyMail({ db, dialect }, ready)).as('mails'),
      exists(
        sql`select 1 from report where status in ('open', 'acknowledged')
          and expires_at <= ${now} order by expires_at limit 1`,
      ).as('expiries'),
      exists(sql`select 1 from pending_rename order by sha256 limit 1`).as('updates'),
      exists(
        sql`select 1 from c2_rejection where pending_below is not null order by service_id limit 1`,
      ).as('rejections'),
      exists(sql`select 1 from fuzzy_hash where due = 1 order by id limit 1`).as('similar'),
      exists(sql`select 1 from back_fill limit 1`).as('back_fills'),
      exists(sql`select 1 from reanalysis where state = 'running' limit 1`).as('reanalysis'),
    ]);
  },
);

function exists(select: RawBuilder<unknown>): RawBuilder<number> {
  return isFound(sql`(${select})`);
}

/** A query that Kysely builds has its own parentheses. */
function isFound(select: Expression<unknown>): RawBuilder<number> {
  return sql<number>`case when exists ${select} then 1 else 0 end`;
}

interface PendingRow {
  readonly unfinished: number;
  readonly queued_again: number;
  readonly webhooks: number;
  readonly mails: number;
  readonly expiries: number;
  readonly updates: number;
  readonly rejections: number;
  readonly similar: number;
  readonly back_fills: number;
  readonly reanalysis: number;
}

export function toPendingWork(row: PendingRow | undefined): PendingWork {
  return {
    uploads: row?.unfinished === 1 || row?.queued_again === 1,
    webhooks: row?.webhooks === 1,
    mails: row?.mails === 1,
    expiries: row?.expiries === 1,
    updates: row?.updates === 1,
    rejections: row?.rejections === 1,
    similar: row?.similar === 1 || row?.back_fills === 1,
    backFills: row?.back_fills === 1,
    reanalysis: row?.reanalysis === 1,
  };
}
