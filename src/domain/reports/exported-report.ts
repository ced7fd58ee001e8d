import type { C2Address } from './c2-address.ts';
import type { Confirmation } from './confirmation.ts';
import type { ReportStatus } from './desk.ts';

/**
 * A report as every reader may see it: without the desk's note and the account that set the status.
 * Exports write millions of them, so times stay text.
 */
export interface ExportedReport {
  /** Assigned once, from one counter of the installation, and never used again. */
  readonly number: number;
  readonly id: string;
  readonly service: string;
  readonly sequence: number;
  readonly createdSequence: number;
  /** The part of the reports of its feed and day, from 1 on. It never changes. */
  readonly dayPart: number;
  readonly name: string;
  readonly tags: readonly string[];
  readonly c2: C2Address;
  readonly sha256: string;
  readonly reportedBy: string;
  /** This and the other times are in ISO 8601 and UTC, with milliseconds. */
  readonly reportedAt: string;
  readonly firstSeenId: string;
  readonly reference: string;
  /** On the scale of the service. */
  readonly confidence: number;
  readonly status: ReportStatus;
  readonly statusReason: string | undefined;
  readonly updatedAt: string;
  /** When this version was published: unique in its feed, and later than the one before it. */
  readonly addedAt: string;
  readonly expiresAt: string;
  readonly corroboration: number;
  readonly sightings: number;
  readonly recurrence: boolean;
  readonly confirmation: Confirmation;
  /**
   * The sequence of the change by which the desk of the feed rejected the C2, which may be that of
   * another report. `undefined` unless the rejection stands.
   */
  readonly rejectionSequence: number | undefined;
  /** The service that answers for the C2. */
  readonly routedTo: string | undefined;
  /** The ten specified fields as a JSON object. */
  readonly body: string;
}

/** What is left of a deleted report until its tombstone is deleted too. */
export interface WithdrawnReport
  extends Pick<
    ExportedReport,
    | 'number'
    | 'id'
    | 'service'
    | 'sequence'
    | 'createdSequence'
    | 'dayPart'
    | 'name'
    | 'c2'
    | 'sha256'
    | 'reportedAt'
    | 'addedAt'
  > {
  readonly deletedAt: string;
}
