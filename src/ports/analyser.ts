import type { Analysis } from '../domain/samples/analysis.ts';

/** The five digests of a file, lower-case hexadecimal. */
export interface FileDigests {
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
  readonly blake3: string;
}

export interface SampleToAnalyse {
  readonly fileName: string;
  readonly sizeBytes: number;
  /** Where they are known already; computed otherwise. */
  readonly digests?: FileDigests | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Why there is no report. Two say nothing about the sample: `interrupted`, we were closing; `unavailable`, there
 * was no worker to be had, or the storage could not be reached.
 */
export type AnalysisFailure =
  | 'timeout'
  | 'crashed'
  | 'bad-report'
  | 'unreadable'
  | 'interrupted'
  | 'unavailable';

export type AnalysisOutcome =
  | { readonly kind: 'done'; readonly analysis: Analysis }
  | { readonly kind: 'failed'; readonly failure: AnalysisFailure; readonly message: string };

/** How samples are kept from doing harm on this machine. */
export interface Isolation {
  /** The means in use, strongest first: `bubblewrap`, `setpriv`, `prlimit`, `permission model`. */
  readonly means: readonly string[];
  /** What is missing, and what installing it would give. */
  readonly lacks: readonly string[];
}

/** Makes reports of samples, apart from everything else. One that dies costs its own job alone. */
export interface Analyser {
  /** How many samples it works on at once. */
  readonly capacity: number;
  readonly isolation: Isolation;
  /** What is wrong with rules that were left out. */
  readonly ruleProblems: readonly string[];
  analyse(sample: SampleToAnalyse, now: Date): Promise<AnalysisOutcome>;
  close(): Promise<void>;
}
