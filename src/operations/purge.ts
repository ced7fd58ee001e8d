import { Problem } from '../domain/problem.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import type { Dependencies } from './dependencies.ts';

/** Removes a report for legal reasons or after a mistake. A tombstone and the reason stay. */
export async function purgeReport(
  deps: Dependencies,
  audit: AuditContext,
  id: string,
  reason: string,
): Promise<void> {
  const outcome = await deps.store.reports.purge(
    { id, by: audit.actor, at: audit.at, reason },
    audit,
  );
  if (outcome === 'absent') throw new Problem('unknown_report_id');
}

export async function purgeSample(
  deps: Dependencies,
  audit: AuditContext,
  sha256: string,
  reason: string,
): Promise<void> {
  const outcome = await deps.store.samples.purge(sha256, reason, audit);
  // After the tombstone, which blocks another upload. The file is removed even if the store does
  // not know the sample, so that a purge that failed here can be repeated.
  await deps.files.remove(sha256);
  if (outcome === 'absent') throw new Problem('unknown_sample');
}
