import type { ExportedReport } from './exported-report.ts';
import type { IndicatorHosts } from './indicator-hosts.ts';

/**
 * What readers who block by indicators are told about the C2 of a report.
 *
 * - `valid`: it is an indicator, as far as the status of the report permits.
 * - `ended`: it was an indicator until the desk rejected the C2, so readers must withdraw it.
 * - `absent`: it never was one, or another version of the product published it.
 */
export type C2Indication = 'valid' | 'ended' | 'absent';

export function c2IndicationOf(
  {
    c2,
    createdSequence,
    rejectionSequence,
  }: Pick<ExportedReport, 'c2' | 'createdSequence' | 'rejectionSequence'>,
  hosts: IndicatorHosts,
): C2Indication {
  if (hosts.protection(c2.host) !== undefined) return 'absent';
  if (rejectionSequence === undefined) return 'valid';
  return createdSequence < rejectionSequence ? 'ended' : 'absent';
}
