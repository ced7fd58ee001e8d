import type { ProposalState } from '../../domain/proposals/proposal.ts';
import type { ReanalysisState } from '../../domain/samples/reanalysis.ts';

export interface UploadTable {
  sha256: Uint8Array;
  blake3: Uint8Array;
  sha512: Uint8Array;
  md5: Uint8Array;
  sha1: Uint8Array;
  size_bytes: number;
  file_name: string;
  uploaded_by: string;
  uploaded_at: string;
  state: 'queued' | 'running' | 'done' | 'failed';
  /** Why the last analysis failed. */
  reason: string | null;
  /** When the last analysis ended; null if the analysis was imported. */
  ended_at: string | null;
  attempts: number | null;
  /** The state of a further analysis. The file stays done, so that it keeps the one it has. */
  reanalysis: 'queued' | 'failed' | null;
}

/** The last run over all files. It has at most one row. */
export interface ReanalysisTable {
  id: number;
  state: ReanalysisState;
  analysed_before: string;
  position_at: string;
  position_sha256: Uint8Array;
  queued: number;
  started_by: string;
  started_at: string;
  ended_at: string | null;
}

/** A report that an analysis proposes to an account that uploaded the file. */
export interface ProposalTable {
  id: string;
  account_id: string;
  sha256: Uint8Array;
  file_name: string;
  service_id: number;
  host: string;
  port: number;
  family: string | null;
  /** JSON. */
  tags: string;
  state: ProposalState;
  reason: string | null;
  note: string | null;
  report_id: string | null;
  created_at: string;
  changed_at: string;
}

/** The upload of a file that another account had uploaded first. */
export interface FurtherUploadTable {
  sha256: Uint8Array;
  account_id: string;
  file_name: string;
  uploaded_at: string;
}
