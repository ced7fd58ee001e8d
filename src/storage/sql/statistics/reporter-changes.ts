import { noReporterCounts, type ReporterCounts } from '../../../domain/trust/outcome.ts';
import { each, type UnitOfWork } from '../../unit-of-work.ts';
import { addOpenOfReporter, addReporter } from './counter-rows.ts';
import { isOnly, isZero } from './scope-changes.ts';

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
      yield* each(
        addOpenOfReporter,
        changed.map(({ key, counts }) => ({ ...key, open: counts.open })),
      );
    else
      yield* each(
        addReporter,
        changed.map(({ key, counts }) => ({ ...key, ...counts })),
      );
  }
}
