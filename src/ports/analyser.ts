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
  /** Computed if absent. */
  readonly digests?: FileDigests | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Why there is no analysis report. Two are not about the sample: `interrupted`, the service stops;
 * `unavailable`, no worker could be started or the storage is down.
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

/** How the worker processes are sandboxed on this machine. */
export interface Isolation {
  /** The means in use, strongest first: `bubblewrap`, `setpriv`, `prlimit`, `permission model`. */
  readonly means: readonly string[];
  /** What is missing, and what installing it would add. */
  readonly lacks: readonly string[];
}

/** Analyses samples in isolated processes. A crash fails one job and no other. */
export interface Analyser {
  /** How many samples it analyses at once. */
  readonly capacity: number;
  readonly isolation: Isolation;
  /** Why rules were skipped. */
  readonly ruleProblems: readonly string[];
  analyse(sample: SampleToAnalyse, now: Date): Promise<AnalysisOutcome>;
  close(): Promise<void>;
}
