import type { SettingInForce } from '../../config/settings-in-force.ts';
import type { ReanalysisProgress } from '../../domain/samples/reanalysis.ts';
import type { ListedFailures } from '../../operations/samples/list-failed-samples.ts';
import type { QueueState } from '../../operations/samples/show-queue.ts';
import type { WorkerState } from '../../ports/analyser.ts';
import { formatUtc, formatUtcOrNull } from './present.ts';

export function presentQueue({ oldestUploadedAt, ...counts }: QueueState) {
  return {
    ...counts,
    oldestUploadedAt: formatUtcOrNull(oldestUploadedAt),
  };
}

export function presentReanalysis({ run, waiting, remaining }: ReanalysisProgress) {
  return {
    state: run?.state ?? null,
    before: formatUtcOrNull(run?.before),
    startedAt: formatUtcOrNull(run?.startedAt),
    startedBy: run?.startedBy ?? null,
    endedAt: formatUtcOrNull(run?.endedAt),
    queued: run?.queued ?? 0,
    waiting,
    remaining,
  };
}

export function presentFailedSamples({ samples, nextCursor }: ListedFailures) {
  return {
    samples: samples.map((sample) => ({
      sha256Hash: sample.sha256,
      fileName: sample.fileName,
      sizeInBytes: sample.sizeBytes,
      uploadedBy: sample.uploadedBy,
      uploadedAt: formatUtc(sample.uploadedAt),
      failedAt: formatUtc(sample.failedAt),
      reason: sample.reason,
      attempts: sample.attempts ?? null,
    })),
    nextCursor: nextCursor ?? null,
    hasMore: nextCursor !== undefined,
  };
}

export function presentWorkers(node: string, state: WorkerState | undefined) {
  if (state === undefined) return { node, workers: null };
  const { tier, means, lacks } = state.isolation;
  const level = lacks.length === 0 ? ('complete' as const) : ('incomplete' as const);
  return {
    node,
    workers: {
      capacity: state.capacity,
      running: state.running,
      busy: state.busy,
      restarts: state.restarts,
      isolation: { level, tier, means, lacks },
      ruleProblems: state.ruleProblems,
    },
  };
}

export function presentSetting({ name, value, isSecret, source, purpose }: SettingInForce) {
  return { name, value: value ?? null, isSet: source !== 'default', isSecret, source, purpose };
}
