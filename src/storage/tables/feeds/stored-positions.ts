import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../../domain/duration.ts';
import type { Positions } from '../../../domain/reports/cursor.ts';
import {
  formatSequences,
  type PositionBase,
  parseSequences,
} from '../../../domain/reports/cursor.ts';
import { all, ONE, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * Positions over all feeds that are too long for a header. Their key is a digest of their text, so
 * a digest never refers to other positions, even after the store was restored from a backup.
 */
const DIGEST_BYTES = 16;
/** The limit on the text of all rows together. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_ROWS = 10_000;
/** The time of the last use is updated at most this often. */
const TOUCH_INTERVAL_MS = HOUR_MS;

const COLUMNS = ['digest', 'positions', 'used_at'] as const;

const selectOne = query<{ digest: Uint8Array }>()((db, parameter) =>
  db.selectFrom('stored_position').select(COLUMNS).where('digest', '=', parameter.digest),
);

const selectLatest = query()((db) =>
  db.selectFrom('stored_position').select(COLUMNS).orderBy('used_at', 'desc').limit(ONE),
);

/** Locks the rows, so that a use which another node records concurrently keeps its row. */
const selectOldest = query<{ before: string; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('stored_position')
    .select('digest')
    .where('used_at', '<', parameter.before)
    .orderBy('used_at')
    .limit(parameter.limit)
    .$if(dialect === 'postgres', (old) => old.forUpdate().skipLocked()),
);

/** Returns a row if there are more than `count`. */
const selectBeyond = query<{ count: number }>()((db, parameter) =>
  db
    .selectFrom('stored_position')
    .select('used_at')
    .orderBy('used_at', 'desc')
    .limit(ONE)
    .offset(parameter.count),
);

const put = query<{ digest: Uint8Array; positions: string; used_at: string }>()((db, parameter) =>
  db
    .insertInto('stored_position')
    .values(all(parameter, COLUMNS))
    .onConflict((conflict) =>
      conflict.column('digest').doUpdateSet({ used_at: sql<string>`excluded.used_at` }),
    ),
);

const touch = query<{ digest: Uint8Array; used_at: string }>()((db, parameter) =>
  db
    .updateTable('stored_position')
    .set({ used_at: parameter.used_at })
    .where('digest', '=', parameter.digest),
);

const remove = query<{ digest: Uint8Array }>()((db, parameter) =>
  db.deleteFrom('stored_position').where('digest', '=', parameter.digest),
);

interface StoredRow {
  readonly digest: Uint8Array;
  readonly positions: string;
  readonly used_at: string;
}

function toBase({ digest, positions }: StoredRow): PositionBase {
  return {
    digest: Buffer.from(digest).toString('base64url'),
    positions: parseSequences(positions),
  };
}

export interface FoundPositions {
  readonly base: PositionBase;
  /** Whether `touchPositions` has to record the use. */
  readonly isTouchDue: boolean;
}

export function* findPositions(digest: string, now: Date): UnitOfWork<FoundPositions | undefined> {
  const found = yield* row(selectOne, { digest: Buffer.from(digest, 'base64url') });
  if (found === undefined) return undefined;
  const isTouchDue = now.getTime() - Date.parse(found.used_at) >= TOUCH_INTERVAL_MS;
  return { base: toBase(found), isTouchDue };
}

export function* touchPositions(digest: string, now: Date): UnitOfWork<void> {
  yield* rows(touch, { digest: Buffer.from(digest, 'base64url'), used_at: now.toISOString() });
}

export function* latestPositions(since: Date): UnitOfWork<PositionBase | undefined> {
  const found = yield* row(selectLatest, {});
  if (found === undefined || Date.parse(found.used_at) < since.getTime()) return undefined;
  return toBase(found);
}

export function* storePositions(
  positions: Positions,
  now: Date,
  maxCharacters = MAX_CHARACTERS,
): UnitOfWork<PositionBase | undefined> {
  const started = [...positions].filter(([, sequence]) => sequence > 0);
  const text = formatSequences(new Map(started.sort(([one], [other]) => (one < other ? -1 : 1))));
  const digest = createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES);
  const isStored = (yield* row(selectOne, { digest })) !== undefined;
  const maxRows = Math.min(MAX_ROWS, Math.ceil(maxCharacters / Math.max(1, text.length)));
  if (!isStored && !(yield* makeRoom(maxRows, now))) return undefined;
  const used_at = now.toISOString();
  yield* rows(put, { digest, positions: text, used_at });
  return toBase({ digest, positions: text, used_at });
}

/**
 * If the table is full, deletes one row that was not used for a day. Returns whether there is room.
 */
function* makeRoom(maxRows: number, now: Date): UnitOfWork<boolean> {
  if ((yield* row(selectBeyond, { count: maxRows - 1 })) === undefined) return true;
  return (yield* deleteUnusedPositions(new Date(now.getTime() - DAY_MS), 1)) > 0;
}

export function* deleteUnusedPositions(before: Date, limit: number): UnitOfWork<number> {
  const old = yield* rows(selectOldest, { before: before.toISOString(), limit });
  for (const { digest } of old) yield* rows(remove, { digest });
  return old.length;
}
