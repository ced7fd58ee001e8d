export type ReanalysisState = 'running' | 'stopped' | 'finished';

/** A run that analyses stored files again. */
export interface Reanalysis {
  /** `finished`: all files are queued, and some of them may still wait. */
  readonly state: ReanalysisState;
  /** Files whose last analysis ended before that. */
  readonly before: Date;
  readonly startedBy: string;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
  /** The number of files queued so far. */
  readonly queued: number;
}

/** The last run, if there was one, and how much is left. */
export interface ReanalysisProgress {
  readonly run: Reanalysis | undefined;
  /** Files that are queued to be analysed again, also single ones. At most 10 000 are counted. */
  readonly waiting: number;
  /** Files that the run has not queued yet. At most 10 000 are counted. */
  readonly remaining: number;
}
