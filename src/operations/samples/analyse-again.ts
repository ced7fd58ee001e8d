import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Dependencies } from '../dependencies.ts';

/** Queues a sample whose analysis is done or has failed. It keeps a report that it has. */
export async function analyseAgain(
  { store, files, analysisEvents }: Pick<Dependencies, 'store' | 'files' | 'analysisEvents'>,
  audit: AuditContext,
  sha256: string,
): Promise<void> {
  // Otherwise the analysis would fail: the analysis may be imported, or the file lost.
  if (!(await files.has(sha256))) throw new Problem('unknown_file');
  const outcome = await store.samples.analyseAgain(sha256, audit);
  if (outcome === 'absent') throw new Problem('unknown_file');
  if (outcome === 'pending') throw new Problem('analysis_unfinished');
  analysisEvents.submitted();
}
