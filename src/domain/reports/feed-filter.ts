import type { Confirmation } from './confirmation.ts';
import type { ReportStatus } from './desk.ts';

/** Selects reports of a feed. All conditions that are set must match. */
export interface ReportFilter {
  /** Reported at that time or later. */
  readonly createdAfter?: Date | undefined;
  /** Reported before that time: adjacent ranges neither overlap nor leave a gap. */
  readonly createdBefore?: Date | undefined;
  /** The family, else the first tag, in any spelling: see `foldName`. */
  readonly name?: string | undefined;
  /** A report must have all of them. */
  readonly tags?: readonly string[] | undefined;
  readonly host?: string | undefined;
  /** A DNS name: the host of the C2 is it, or a name below it. */
  readonly domain?: string | undefined;
  readonly port?: number | undefined;
  readonly sha256?: string | undefined;
  /** The name of the reporting account. */
  readonly reporter?: string | undefined;
  /** On the scale of the service. */
  readonly minConfidence?: number | undefined;
  readonly confirmation?: Confirmation | undefined;
  /** Whether another service than that of the feed answers for the C2. */
  readonly misrouted?: boolean | undefined;
  /** `undefined`: every status but `expired`. */
  readonly status?: ReportStatus | undefined;
}
