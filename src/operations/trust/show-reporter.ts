import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { type ReporterCounts, reportsOf, sumCounts } from '../../domain/trust/outcome.ts';
import { type Precision, precisionOf } from '../../domain/trust/precision.ts';
import type { Dependencies } from '../dependencies.ts';

export interface JudgedCounts {
  readonly counts: Readonly<ReporterCounts>;
  readonly reports: number;
  readonly precision: Precision | undefined;
}

export interface ShownReporter extends JudgedCounts {
  readonly name: string;
  readonly isComplete: boolean;
  /** The feeds with the most reports first, at most `MAX_SERVICES`. */
  readonly services: readonly (JudgedCounts & { readonly service: string })[];
}

/** The feeds that are listed; the totals include all of them. */
const MAX_SERVICES = 100;

/**
 * What became of the reports of a reporter, by name. An account that may not report and never did
 * is not shown to others, so that names of accounts cannot be probed.
 */
export async function showReporter(
  { store }: Pick<Dependencies, 'store'>,
  caller: Pick<Caller, 'name'>,
  name: string,
): Promise<ShownReporter> {
  const found = await store.trust.reporter(name);
  if (found === undefined) throw new Problem('unknown_reporter');
  const { services, isResearcher, isComplete } = found;
  if (services.length === 0 && !isResearcher && caller.name !== name)
    throw new Problem('unknown_reporter');
  return {
    name,
    isComplete,
    ...judge(sumCounts(services)),
    services: services
      .map(({ service, ...counts }) => ({ service, ...judge(counts) }))
      .sort((one, other) => other.reports - one.reports || (one.service < other.service ? -1 : 1))
      .slice(0, MAX_SERVICES),
  };
}

function judge(counts: Readonly<ReporterCounts>): JudgedCounts {
  return { counts, reports: reportsOf(counts), precision: precisionOf(counts) };
}
