import { Problem } from '../domain/problem.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import type { Dependencies } from './dependencies.ts';

/** What the law or a mistake demands. A tombstone and the reason stay. */
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
  if (outcome === 'absent') throw new Problem('unknown_report');
}

export async function purgeSample(
  deps: Dependencies,
  audit: AuditContext,
  sha256: string,
  reason: string,
): Promise<void> {
  const outcome = await deps.store.samples.purge(sha256, reason, audit);
  // After the tombstone, which keeps it from coming back; and whatever the store knew, so that a purge that broke
  // off here can be made again.
  await deps.files.remove(sha256);
  if (outcome === 'absent') throw new Problem('unknown_sample');
}
