import { Problem } from '../domain/problem.ts';
import type { Act } from '../ports/act.ts';
import type { Dependencies } from './dependencies.ts';

/** What the law or a mistake demands. A tombstone and the reason stay. */
export async function purgeReport(
  deps: Dependencies,
  act: Act,
  id: string,
  reason: string,
): Promise<void> {
  const outcome = await deps.store.reports.purge({ id, by: act.actor, at: act.at, reason }, act);
  if (outcome === 'absent') throw new Problem('unknown_report');
}

export async function purgeSample(
  deps: Dependencies,
  act: Act,
  sha256: string,
  reason: string,
): Promise<void> {
  const outcome = await deps.store.samples.purge(sha256, reason, act);
  // After the tombstone, which keeps it from coming back; and whatever the store knew, so that a purge that broke
  // off here can be made again.
  await deps.files.remove(sha256);
  if (outcome === 'absent') throw new Problem('unknown_sample');
}
