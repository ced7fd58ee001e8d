import { nameReport, type Report } from '../../domain/report.ts';
import type { ReadyForms } from '../../ports/store.ts';
import { all, each, lockFiles, query, type UnitOfWork } from '../unit-of-work.ts';
import { appendEvents, type Place, Sequences } from './feed.ts';
import { lockFeeds } from './feed-lock.ts';
import { fromRow, READ_COLUMNS, type ReadRow } from './report-rows.ts';
import { forgetUnusedNames, SearchTerms } from './search-terms.ts';
import { COUNTED_NOW } from './sightings.ts';

/** Reports in feeds are named after what the analyses of their files say. */

const selectOfFile = query<{ sha256: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.sha256', '=', hole.sha256)
    .orderBy('report.number'),
);

const selectFeedsOf = query<{ sha256: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('service.slug')
    .distinct()
    .where('report.sha256', '=', hole.sha256),
);

const renameReport = query<{
  id: string;
  name: string;
  sequence: number;
  updated_at: string;
  body: string;
}>()((db, hole) =>
  db
    .updateTable('report')
    .set({ ...all(hole, ['name', 'sequence', 'updated_at', 'body']), ...COUNTED_NOW })
    .where('id', '=', hole.id),
);

/**
 * Before anything is done about analyses of these files: no report of them comes meanwhile that would not see them, and
 * their feeds are locked in one order.
 */
export function* lockReportsOf(hashes: readonly string[]): UnitOfWork<void> {
  yield* lockFiles(hashes);
  const feeds = yield* each(
    selectFeedsOf,
    [...new Set(hashes)].map((sha256) => ({ sha256 })),
  );
  yield* lockFeeds(feeds.flat().map(({ slug }) => slug));
}

export interface NamedFile {
  readonly sha256: string;
  readonly family: string | undefined;
}

/** The reports of different files take new names: the analyses of these have arrived, or say something else. */
export function* renameReportsOf(
  files: readonly NamedFile[],
  at: Date,
  forms: ReadyForms,
): UnitOfWork<void> {
  const found = yield* each(
    selectOfFile,
    files.map(({ sha256 }) => ({ sha256 })),
  );
  const renamed = files.flatMap(({ family }, place) => renamesOf(found[place] ?? [], family, at));
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
      body: forms.report(report),
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
