import { Problem } from '../../domain/problem.ts';
import type { ReanalysisProgress } from '../../domain/samples/reanalysis.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Dependencies } from '../dependencies.ts';

type StoreDependency = Pick<Dependencies, 'store'>;

/**
 * Starts to analyse the stored files again whose last analysis ended before that: by default, and
 * at most, before now. Housekeeping of any node queues them.
 */
export async function startReanalysis(
  { store: { samples } }: StoreDependency,
  audit: AuditContext,
  before: Date = audit.at,
): Promise<ReanalysisProgress> {
  // With a later time, files that were analysed again would be analysed once more.
  const latest = before < audit.at ? before : audit.at;
  const outcome = await samples.startReanalysis(latest, audit);
  if (outcome === 'running') throw new Problem('reanalysis_running');
  return samples.reanalysis();
}

export function showReanalysis({
  store: { samples },
}: StoreDependency): Promise<ReanalysisProgress> {
  return samples.reanalysis();
}

/** The files that are queued already are analysed. Does nothing if no run is in progress. */
export async function stopReanalysis(
  { store: { samples } }: StoreDependency,
  audit: AuditContext,
): Promise<ReanalysisProgress> {
  await samples.stopReanalysis(audit);
  return samples.reanalysis();
}

/** Queues the next files of a run, and wakes the workers. Returns the number of files seen. */
export async function queueReanalyses(
  { store, analysisEvents }: Pick<Dependencies, 'store' | 'analysisEvents'>,
  at: Date,
): Promise<number> {
  const seen = await store.samples.queueReanalyses(at);
  if (seen > 0) analysisEvents.submitted();
  return seen;
}
