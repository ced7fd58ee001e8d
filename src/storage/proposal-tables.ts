import type { ProposalState } from '../domain/samples/proposal.ts';

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
