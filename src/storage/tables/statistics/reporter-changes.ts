import { noReporterCounts, type ReporterCounts } from '../../../domain/trust/outcome.ts';
import { REPORTER_COLUMNS } from '../../schema/statistic-tables.ts';
import { all, query } from '../../units/query.ts';
import { eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';
import { added } from './added.ts';
import { isOnly, isZero } from './scope-changes.ts';

interface ReporterKey {
  readonly reporter_id: string;
  readonly service_id: number;
}

const addReporter = query<ReporterKey & ReporterCounts>()((db, parameter) =>
  db
    .insertInto('statistic_reporter')
    .values(all(parameter, ['reporter_id', 'service_id', ...REPORTER_COLUMNS]))
    .onConflict((conflict) =>
      conflict
        .columns(['reporter_id', 'service_id'])
        .doUpdateSet(added('statistic_reporter', REPORTER_COLUMNS)),
    ),
);

/** For most creates, which change no other counter of a reporter. */
const addOpenOfReporter = query<ReporterKey & { open: number }>()((db, parameter) =>
  db
    .insertInto('statistic_reporter')
    .values(all(parameter, ['reporter_id', 'service_id', 'open']))
    .onConflict((conflict) =>
      conflict
        .columns(['reporter_id', 'service_id'])
        .doUpdateSet(added('statistic_reporter', ['open'])),
    ),
);

/**
 * What a unit of work adds to the counters of reporters. The rows of a feed are written only by a
 * unit that has locked it.
 */
export class ReporterChanges {
  readonly #feeds = new Map<number, Map<string, ReporterCounts>>();

  add(serviceId: number, reporterId: string, column: keyof ReporterCounts, by: number): void {
    let reporters = this.#feeds.get(serviceId);
    if (reporters === undefined) {
      reporters = new Map();
      this.#feeds.set(serviceId, reporters);
    }
    let counts = reporters.get(reporterId);
    if (counts === undefined) {
      counts = noReporterCounts();
      reporters.set(reporterId, counts);
    }
    counts[column] += by;
  }

  /** A second call writes what was added since. */
  *write(): UnitOfWork<void> {
    const changed = [...this.#feeds].flatMap(([service_id, reporters]) =>
      [...reporters].flatMap(([reporter_id, counts]) =>
        isZero(counts) ? [] : { key: { reporter_id, service_id }, counts },
      ),
    );
    this.#feeds.clear();
    if (changed.every(({ counts }) => isOnly('open', counts)))
      yield* eachDeferred(
        addOpenOfReporter,
        changed.map(({ key, counts }) => ({ ...key, open: counts.open })),
      );
    else
      yield* eachDeferred(
        addReporter,
        changed.map(({ key, counts }) => ({ ...key, ...counts })),
      );
  }
}
