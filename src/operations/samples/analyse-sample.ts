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

/** `again`: it may go better another time. */
export type AnalysisEnd =
  | { readonly kind: 'done' | 'gone' }
  | {
      readonly kind: 'failed' | 'again';
      readonly failure: AnalysisFailure;
      readonly message: string;
    };

/** How often each failure is worth a try: a crash or a slow moment may be the machine's fault, a lie is not. */
const TRIES: Readonly<Record<AnalysisFailure, number>> = {
  timeout: 2,
  crashed: 3,
  unreadable: 3,
  'bad-report': 1,
  interrupted: Number.POSITIVE_INFINITY,
  unavailable: Number.POSITIVE_INFINITY,
};
/** A job that was claimed more often was never completed by its worker. */
const { maxAttempts } = QUEUE_POLICIES.analyse;

/** What the uploader is told. What exactly happened is for the operator's log. */
const REASONS: Readonly<Record<AnalysisFailure, string>> = {
  timeout: 'The analysis took too long and was ended.',
  crashed: 'The analysis broke off every time it was tried; the sample is set apart.',
  unreadable: 'The stored file could not be read, or is not what was uploaded.',
  'bad-report': 'The analysis gave no valid report.',
  interrupted: 'The analysis was interrupted.',
  unavailable: 'The analysis could not be begun.',
};

/** Makes the report of one uploaded sample, and stores it or why there is none. */
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
      ? // Nobody was left to count it: the service itself ended in the middle, again and again.
        { kind: 'failed', failure: 'crashed', message: `it was begun ${attempt - 1} times` }
      : await analyse(deps, sample);
  if (outcome.kind === 'done') {
    await samples.finish(outcome.analysis, deps.now());
    return { kind: 'done' };
  }
  const { failure, message } = outcome;
  if (attempt < TRIES[failure]) return { kind: 'again', failure, message };
  await samples.fail(sha256, REASONS[failure], deps.now());
  return { kind: 'failed', failure, message };
}

async function analyse(
  { files, analyser, now }: AnalysisDependencies,
  sample: NonNullable<Awaited<ReturnType<SampleStore['start']>>>,
): Promise<AnalysisOutcome> {
  const { digests, fileName, sizeBytes } = sample;
  const bytes = await files.read(digests.sha256);
  if (bytes === undefined)
    return { kind: 'failed', failure: 'unreadable', message: 'there is no file of this sample' };
  return analyser.analyse({ digests, fileName, sizeBytes, bytes }, now());
}
