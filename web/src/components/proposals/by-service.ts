import type { ReportableC2 } from '../../api/reportable-c2.ts';

export interface ServiceShare {
  readonly service: string;
  /** Not defanged, without duplicates even if several files name the same address. */
  readonly addresses: readonly string[];
  /** The reports that the service gets. */
  readonly reports: number;
}

/** What goes to which service, in the order of their names. */
export function byService(proposals: readonly ReportableC2[]): readonly ServiceShare[] {
  const groups = Map.groupBy(proposals, ({ service }) => service);
  return [...groups]
    .map(([service, group]) => ({
      service,
      addresses: [...new Set(group.map(({ c2Address }) => c2Address))].toSorted(),
      reports: group.length,
    }))
    .toSorted((one, other) => (one.service < other.service ? -1 : 1));
}
