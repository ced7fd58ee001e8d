import type { Analysis } from '../domain/samples/analysis.ts';
import type { IsolationTier } from '../domain/samples/isolation-tier.ts';

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
  readonly tier: IsolationTier;
  /** The means in use, strongest first: `bubblewrap`, `setpriv`, `prlimit`, …. */
  readonly means: readonly string[];
  /** What is missing, and what installing it would add. */
  readonly lacks: readonly string[];
}

/** The worker processes at this moment. */
export interface WorkerCounts {
  /** Those that are idle, busy or starting. */
  readonly running: number;
  readonly busy: number;
  /**
   * Processes that ended or were replaced since the start: after a crash, a timeout, many samples
   * or much memory.
   */
  readonly restarts: number;
}

/** The analysis workers of this node. */
export interface WorkerState extends WorkerCounts {
  /** How many samples are analysed at once. */
  readonly capacity: number;
  readonly isolation: Isolation;
  readonly ruleProblems: readonly string[];
}

/** Analyses samples in isolated processes. A crash fails one job and no other. */
export interface Analyser {
  /** How many samples it analyses at once. */
  readonly capacity: number;
  readonly isolation: Isolation;
  /** Why rules were skipped. */
  readonly ruleProblems: readonly string[];
  counts(): WorkerCounts;
  analyse(sample: SampleToAnalyse, now: Date): Promise<AnalysisOutcome>;
  close(): Promise<void>;
}
