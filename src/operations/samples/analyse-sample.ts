import type { Analyser, AnalysisFailure, AnalysisOutcome } from '../../ports/analyser.ts';
import { QUEUE_POLICIES } from '../../ports/queue.ts';
import type { SampleFiles } from '../../ports/sample-files.ts';
import type { SampleStore } from '../../ports/sample-store.ts';

export interface AnalysisDependencies {
  readonly store: { readonly samples: Pick<SampleStore, 'start' | 'finish' | 'fail'> };
  readonly files: Pick<SampleFiles, 'read'>;
  readonly analyser: Analyser;
  now(): Date;
}

/** `gone`: the sample was removed. `again`: the analysis is to be retried. */
export type AnalysisEnd =
  | { readonly kind: 'done' | 'gone' }
  | {
      readonly kind: 'failed' | 'again';
      readonly failure: AnalysisFailure;
      readonly message: string;
    };

/**
 * Attempts for each failure. The machine may have caused a crash or a timeout, but an invalid
 * answer comes from the sample.
 */
const MAX_ATTEMPTS: Readonly<Record<AnalysisFailure, number>> = {
  timeout: 2,
  crashed: 3,
  unreadable: 3,
  'bad-report': 1,
  interrupted: Number.POSITIVE_INFINITY,
  unavailable: Number.POSITIVE_INFINITY,
};
/** A job that was leased more often was never completed by its worker. */
const { maxAttempts } = QUEUE_POLICIES.analyse;

/** The texts for the uploader. The log has the exact cause. */
const REASONS: Readonly<Record<AnalysisFailure, string>> = {
  timeout: 'The analysis exceeded its time limit and was stopped.',
  crashed: 'The analysis crashed at every attempt; it is not attempted again.',
  unreadable: 'The stored file could not be read, or differs from the uploaded file.',
  'bad-report': 'The analysis returned no valid report.',
  interrupted: 'The analysis was interrupted.',
  unavailable: 'The analysis could not be started.',
};

/** Analyses one uploaded sample, and stores the report or the reason why there is none. */
export async function analyseSample(
  deps: AnalysisDependencies,
  sha256: string,
  attempt: number,
): Promise<AnalysisEnd> {
  const { samples } = deps.store;
  const sample = await samples.start(sha256);
  if (sample === undefined) return { kind: 'gone' };
  const outcome: AnalysisOutcome =
    attempt > maxAttempts
      ? // The worker process itself ended during each attempt, so none of them was counted as a failure.
        { kind: 'failed', failure: 'crashed', message: `${attempt - 1} attempts did not end` }
      : await analyse(deps, sample);
  if (outcome.kind === 'done') {
    await samples.finish(outcome.analysis, deps.now());
    return { kind: 'done' };
  }
  const { failure, message } = outcome;
  if (attempt < MAX_ATTEMPTS[failure]) return { kind: 'again', failure, message };
  await samples.fail(sha256, REASONS[failure], deps.now(), Math.min(attempt, maxAttempts));
  return { kind: 'failed', failure, message };
}

async function analyse(
  { files, analyser, now }: AnalysisDependencies,
  sample: NonNullable<Awaited<ReturnType<SampleStore['start']>>>,
): Promise<AnalysisOutcome> {
  const { digests, fileName, sizeBytes } = sample;
  const bytes = await files.read(digests.sha256);
  if (bytes === undefined)
    return { kind: 'failed', failure: 'unreadable', message: 'the file of this sample is missing' };
  return analyser.analyse({ digests, fileName, sizeBytes, bytes }, now());
}
