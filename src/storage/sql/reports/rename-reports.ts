import { sql } from 'kysely';
import { nameReport, type Report } from '../../../domain/reports/report.ts';
import type { Serializers } from '../../../ports/store.ts';
import {
  all,
  each,
  lockFiles,
  lockTask,
  ONE,
  query,
  row,
  rows,
  type UnitOfWork,
} from '../../unit-of-work.ts';
import { appendEvents, type Place, Sequences } from '../feeds/events.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { familiesBySha256 } from '../samples/sample-rows.ts';
import { forgetUnusedNames, SearchTerms } from '../search/search-terms.ts';
import { fromRow, READ_COLUMNS, type ReadRow } from './report-rows.ts';
import { COUNTED_NOW } from './sightings.ts';

/** Reports in feeds are named after what the analyses of their files say. */

/**
 * Reports of a file that take their new name together with its analysis: all there are, nearly always. The others follow in
 * slices, each in a transaction of its own.
 */
const MOST_AT_ONCE = 20;

/** In the order in which the index has them, so that no more are read than are wanted. */
const selectFirstOfFile = query<{ sha256: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.sha256', '=', parameter.sha256)
    .orderBy('report.service_id')
    .orderBy('report.number')
    .limit(parameter.limit),
);

const selectNextOfFile = query<PendingRename & { limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.sha256', '=', parameter.sha256)
    .where('report.service_id', '=', parameter.service_id)
    .where('report.number', '>', parameter.number)
    .orderBy('report.number')
    .limit(parameter.limit),
);

const selectNextFeed = query<{ sha256: string; service_id: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('service_id')
    .where('sha256', '=', parameter.sha256)
    .where('service_id', '>', parameter.service_id)
    .orderBy('service_id')
    .limit(ONE),
);

const selectSlug = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('service').select('slug').where('id', '=', parameter.id),
);

interface PendingRename {
  readonly sha256: string;
  readonly service_id: number;
  readonly number: number;
}

const selectPending = query()((db) =>
  db.selectFrom('pending_rename').selectAll().orderBy('sha256').limit(ONE),
);

const selectPendingOf = query<{ sha256: string }>()((db, parameter) =>
  db.selectFrom('pending_rename').selectAll().where('sha256', '=', parameter.sha256),
);

const putPending = query<PendingRename>()((db, parameter) =>
  db
    .insertInto('pending_rename')
    .values(all(parameter, ['sha256', 'service_id', 'number']))
    .onConflict((conflict) =>
      conflict.column('sha256').doUpdateSet({
        service_id: sql<number>`excluded.service_id`,
        number: sql<number>`excluded.number`,
      }),
    ),
);

const deletePending = query<{ sha256: string }>()((db, parameter) =>
  db.deleteFrom('pending_rename').where('sha256', '=', parameter.sha256),
);

const renameReport = query<{
  id: string;
  name: string;
  sequence: number;
  updated_at: string;
  body: string;
}>()((db, parameter) =>
  db
    .updateTable('report')
    .set({ ...all(parameter, ['name', 'sequence', 'updated_at', 'body']), ...COUNTED_NOW })
    .where('id', '=', parameter.id),
);

/**
 * Before anything is done about analyses of these files: no report of them comes meanwhile that would not see them, and
 * the feeds of those that are renamed at once are locked in one order. Returns these feeds.
 */
export function* lockReportsOf(hashes: readonly string[]): UnitOfWork<ReadonlySet<string>> {
  const asked = [...new Set(hashes)];
  yield* lockFiles(asked);
  const found = yield* each(
    selectFirstOfFile,
    asked.map((sha256) => ({ sha256, limit: MOST_AT_ONCE })),
  );
  const feeds = new Set(found.flat().map(({ slug }) => slug));
  yield* lockFeeds(feeds);
  return feeds;
}

export interface NamedFile {
  readonly sha256: string;
  readonly family: string | undefined;
}

/**
 * The reports of different files take new names: the analyses of these have arrived, or say something else. Where there
 * are many of one, the rest is noted in the same transaction, to be renamed in slices. So are reports of a feed that is not
 * locked: one may have moved up to the first while the locks were waited for, and to lock its feed now could be a deadlock.
 */
export function* renameReportsOf(
  files: readonly NamedFile[],
  lockedFeeds: ReadonlySet<string>,
  at: Date,
  serializers: Serializers,
): UnitOfWork<void> {
  const found = yield* each(
    selectFirstOfFile,
    files.map(({ sha256 }) => ({ sha256, limit: MOST_AT_ONCE + 1 })),
  );
  const firsts = found.map((reports) => {
    const unlocked = reports.findIndex(({ slug }) => !lockedFeeds.has(slug));
    return reports.slice(0, Math.min(unlocked < 0 ? MOST_AT_ONCE : unlocked, MOST_AT_ONCE));
  });
  yield* rename(
    files.flatMap(({ family }, index) => renamesOf(firsts[index] ?? [], family, at)),
    at,
    serializers,
  );
  const pending = files.flatMap(({ sha256 }, index) => {
    const next = found[index]?.[firsts[index]?.length ?? 0];
    return next ? { sha256, service_id: next.service_id, number: next.number - 1 } : [];
  });
  yield* each(putPending, pending);
}

/**
 * Renames the next reports of a file of which there were too many, at most `limit`, all of one feed. Whatever its
 * analysis says by now counts. Returns how much was done; 0: nothing is pending.
 */
export function* renamePending(
  at: Date,
  limit: number,
  serializers: Serializers,
): UnitOfWork<number> {
  yield* lockTask('rename reports');
  const any = yield* row(selectPending, {});
  if (any === undefined) return 0;
  const { sha256 } = any;
  yield* lockFiles([sha256]);
  // Once more: until the file was locked, another analysis of it may have begun anew.
  const pending = yield* row(selectPendingOf, { sha256 });
  if (pending === undefined) return 1;
  const { service_id } = pending;
  const feed = yield* row(selectSlug, { id: service_id });
  if (feed !== undefined) yield* lockFeeds([feed.slug]);
  const found = yield* rows(selectNextOfFile, { ...pending, limit });
  const family = (yield* familiesBySha256([sha256])).get(sha256);
  yield* rename(renamesOf(found, family, at), at, serializers);
  yield* movePending(pending, found.length < limit ? undefined : found.at(-1)?.number);
  return Math.max(1, found.length);
}

/** Behind that number in the same feed, or to the next feed that has reports of the file. */
function* movePending(
  { sha256, service_id }: PendingRename,
  number: number | undefined,
): UnitOfWork<void> {
  if (number !== undefined) {
    yield* rows(putPending, { sha256, service_id, number });
    return;
  }
  const next = yield* row(selectNextFeed, { sha256, service_id });
  if (next === undefined) yield* rows(deletePending, { sha256 });
  else yield* rows(putPending, { sha256, service_id: next.service_id, number: 0 });
}

/** Each is a change of its own. Their feeds are locked. */
function* rename(renamed: readonly Rename[], at: Date, serializers: Serializers): UnitOfWork<void> {
  const sequences = new Sequences(renamed.map(({ report }) => report));
  yield* sequences.reserve();
  const changes: Renamed[] = [];
  for (const { before, report } of renamed) {
    const place = yield* sequences.take(report.service);
    if (place === undefined) throw new Error(`a change happened in no feed: ${report.service}`);
    changes.push({ before, report: { ...report, sequence: place.sequence }, place });
  }
  yield* each(
    renameReport,
    changes.map(({ report }) => ({
      id: report.id,
      name: report.name,
      sequence: report.sequence,
      updated_at: at.toISOString(),
      body: serializers.report(report),
    })),
  );
  yield* new SearchTerms().addAll(
    changes.map(({ report, place: { serviceId } }) => ({
      serviceId,
      report: { ...report, host: report.c2.host },
      isNewHost: false,
    })),
  );
  yield* forgetUnusedNames(
    changes.map(({ before: name, place: { serviceId } }) => ({ serviceId, name })),
  );
  const happening = { type: 'updated', at: at.toISOString() } as const;
  yield* appendEvents(
    changes.map(({ place, report }) => ({
      place,
      happening: { ...happening, reportId: report.id },
    })),
  );
}

interface Rename {
  /** The name that it had. */
  readonly before: string;
  readonly report: Report;
}

interface Renamed extends Rename {
  readonly place: Place;
}

function renamesOf(
  found: readonly ReadRow[],
  family: string | undefined,
  at: Date,
): readonly Rename[] {
  return found.map(fromRow).flatMap((report) => {
    const name = nameReport(family, report.tags);
    if (name === report.name) return [];
    return { before: report.name, report: { ...report, name, updatedAt: at } };
  });
}
