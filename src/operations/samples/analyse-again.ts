import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Dependencies } from '../dependencies.ts';

/** Queues a sample whose analysis failed. */
export async function analyseAgain(
  { store, analysisEvents }: Pick<Dependencies, 'store' | 'analysisEvents'>,
  audit: AuditContext,
  sha256: string,
): Promise<void> {
  const outcome = await store.samples.analyseAgain(sha256, audit);
  if (outcome === 'absent') throw new Problem('unknown_file');
  if (outcome === 'not-failed') throw new Problem('analysis_not_failed');
  analysisEvents.submitted();
}
