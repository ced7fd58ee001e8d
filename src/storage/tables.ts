import type { Generated, Insertable, Selectable } from 'kysely';

/**
 * The tables as both databases give them: times as ISO text, JSON as text, booleans as 0 and 1,
 * digests as bytes. `migrations/` is the truth; a test compares.
 */
export interface Tables {
  service: ServiceTable;
  account: AccountTable;
  account_service: { account_id: string; service_id: number };
  token: TokenTable;
  audit: AuditTable;
  report: ReportTable;
  event: EventTable;
  tombstone: TombstoneTable;
  idempotency: IdempotencyTable;
  digest: DigestTable;
  sample_tombstone: { sha256: Uint8Array; deleted_at: string; deleted_by: string; reason: string };
  sample: SampleTable;
  sample_detail: { sample_id: number; body: string };
  job: JobTable;
  fuzzy_hash: FuzzyHashTable;
  gram: { gram: number; fuzzy_hash_id: number };
  back_fill: { name: string; position: number };
}

interface ServiceTable {
  id: Generated<number>;
  slug: string;
  name: string;
  confidence_scale: number;
  hosts: string;
  networks: string;
  last_sequence: Generated<number>;
  created_at: string;
}

interface AccountTable {
  id: string;
  name: string;
  roles: string;
  quota_limit: number | null;
  quota_period: string;
  quota_used: Generated<number>;
  quota_window: Generated<string>;
  quota_extra: Generated<number>;
  disabled: Generated<number>;
  expires_at: string | null;
  created_at: string;
}

interface TokenTable {
  id: string;
  account_id: string;
  digest: Uint8Array;
  hint: string;
  label: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

interface AuditTable {
  id: Generated<number>;
  at: string;
  actor: string;
  action: string;
  subject: string;
  detail: string;
}

interface ReportTable {
  id: string;
  service_id: number;
  created_sequence: number;
  sequence: number;
  name: string;
  tags: string;
  host: string;
  port: number;
  /** Hexadecimal: it is only ever shown and compared, never looked for by its bytes. */
  sha256: string;
  reporter_id: string;
  reported_by: string;
  reported_at: string;
  first_seen_id: string;
  reference: string;
  confidence: number;
  body: string;
}

interface EventTable {
  service_id: number;
  sequence: number;
  type: 'created' | 'updated' | 'deleted';
  report_id: string;
  at: string;
}

interface TombstoneTable {
  report_id: string;
  service_id: number;
  sequence: number;
  deleted_at: string;
  deleted_by: string;
  reason: string;
}

interface IdempotencyTable {
  account_id: string;
  route: string;
  key: string;
  fingerprint: Uint8Array;
  answer: string;
  created_at: string;
}

interface DigestTable {
  id: number;
  value: Uint8Array;
  kind: number;
  sample_id: number;
  blake3_id: number | null;
  sha512_id: number | null;
  family: string | null;
  analysed_at: string | null;
  body: string | null;
}

interface SampleTable {
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
  reason: string | null;
  ended_at: string | null;
}

interface JobTable {
  id: Generated<number>;
  kind: string;
  key: string;
  attempts: Generated<number>;
  due_at: string;
  lease: Generated<number>;
  leased_until: string | null;
  last_error: string | null;
  created_at: string;
}

interface FuzzyHashTable {
  id: Generated<number>;
  sample_id: number;
  text: string;
  file_name: string;
  tags: string;
  due: number;
}

export type ServiceRow = Selectable<ServiceTable>;
export type AccountRow = Selectable<AccountTable>;
export type TokenRow = Selectable<TokenTable>;
export type AuditRow = Selectable<AuditTable>;
export type ReportRow = Selectable<ReportTable>;
export type NewReportRow = Insertable<ReportTable>;
export type DigestRow = Selectable<DigestTable>;
export type SampleRow = Selectable<SampleTable>;
export type FuzzyHashRow = Selectable<FuzzyHashTable>;
