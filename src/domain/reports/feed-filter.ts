import type { ReportStatus } from './desk.ts';

/** Which reports of a feed are wanted. What is `undefined` does not matter; all the others must fit. */
export interface ReportFilter {
  /** Reported then or later. */
  readonly createdAfter?: Date | undefined;
  /** Reported earlier than then: so that what follows one another leaves nothing out and has nothing twice. */
  readonly createdBefore?: Date | undefined;
  /** The report must have all of them. */
  readonly tags?: readonly string[] | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly sha256?: string | undefined;
  /** The name of the account. */
  readonly reporter?: string | undefined;
  /** On the scale of the service. */
  readonly minConfidence?: number | undefined;
  /** Without it: every status but `expired`. */
  readonly status?: ReportStatus | undefined;
}
