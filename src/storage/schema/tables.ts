import type { Generated, Insertable, Selectable } from 'kysely';
import type { Confirmation } from '../../domain/reports/confirmation.ts';
import type { ReportStatus } from '../../domain/reports/desk.ts';
import type { Judgement } from '../../domain/trust/judgement.ts';
import type { AccountChargeTable, AccountTable, AuditTable, TokenTable } from './account-tables.ts';
import type { MispEventTable } from './misp-tables.ts';
import type {
  ServiceChallengeTable,
  ServiceClaimTable,
  ServicePatternTable,
} from './ownership-tables.ts';
import type { FuzzyHashTable, SampleC2Table, SampleTable } from './sample-tables.ts';
import type { SessionTable, SignInLinkTable } from './session-tables.ts';
import type {
  DeletedJudgementTable,
  StatisticDayTable,
  StatisticReporterTable,
  StatisticTotalTable,
} from './statistic-tables.ts';
import type {
  FurtherUploadTable,
  ProposalTable,
  ReanalysisTable,
  UploadTable,
} from './upload-tables.ts';
import type { DeliveryTable, WebhookSecretTable, WebhookTable } from './webhook-tables.ts';

/**
 * The tables as both databases return them: times as ISO text, JSON as text, booleans as 0 and 1,
 * hashes as bytes. `migrations/` defines them; a test compares.
 */
export interface Tables {
  service: ServiceTable;
  service_pattern: ServicePatternTable;
  service_challenge: ServiceChallengeTable;
  service_claim: ServiceClaimTable;
  network_length: { version: number; length: number; patterns: number };
  account: AccountTable;
  account_service: { account_id: string; service_id: number };
  token: TokenTable;
  session: SessionTable;
  sign_in_link: SignInLinkTable;
  audit: AuditTable;
  report: ReportTable;
  report_tag: { service_id: number; tag: string; number: number };
  host_report: { service_id: number; host: string; number: number };
  c2_reporter: C2ReporterTable;
  c2_rejection: C2RejectionTable;
  status_change: StatusChangeTable;
  statistic_total: StatisticTotalTable;
  statistic_day: StatisticDayTable;
  statistic_reporter: StatisticReporterTable;
  deleted_judgement: DeletedJudgementTable;
  statistic_family: { scope: number; name: string; reports: number };
  event: EventTable;
  report_day: { service_id: number; day: string; reports: number };
  misp_event: MispEventTable;
  misp_position: { service_id: number; added_at: number };
  tombstone: TombstoneTable;
  idempotency: IdempotencyTable;
  sample: SampleTable;
  sample_hash: { id: number; sample_id: number };
  sample_tombstone: { sha256: Uint8Array; deleted_at: string; deleted_by: string; reason: string };
  upload: UploadTable;
  further_upload: FurtherUploadTable;
  reanalysis: ReanalysisTable;
  proposal: ProposalTable;
  sample_detail: { sample_id: number; body: string };
  job: JobTable;
  job_turn: { kind: string; account_id: string; turn: number };
  account_usage: {
    account_id: string;
    stored_bytes: number;
    status_bytes: Generated<number>;
  };
  account_day: { account_id: string; day: string; units: number };
  account_charge: AccountChargeTable;
  fuzzy_hash: FuzzyHashTable;
  gram: { gram: number; fuzzy_hash_id: number };
  tlsh: { id: number; text: string };
  tlsh_band: { band: number; tlsh_id: number };
  back_fill: { name: string; position: number };
  installation: InstallationTable;
  webhook: WebhookTable;
  webhook_secret: WebhookSecretTable;
  delivery: DeliveryTable;
  search_host: { reversed: string; service_id: number };
  search_term: SearchTermTable;
  term_text: TextTable;
  sample_text: TextTable;
  sample_c2: SampleC2Table;
  pending_rename: { sha256: string; service_id: number; number: number };
  taxii_status: {
    id: string;
    account_id: string;
    created_at: string;
    body: string;
    size_bytes: number;
  };
  stored_position: { digest: Uint8Array; positions: string; used_at: string };
}

interface InstallationTable {
  id: number;
  secret: Uint8Array | null;
  /** SQLite only; PostgreSQL has a sequence. */
  last_report: number;
  access_version: Generated<number>;
  clock_at: Generated<string | null>;
  clock_timer: Generated<string | null>;
  clock_timer_ms: Generated<number | null>;
  object_namespace: Generated<string | null>;
  charges_from: Generated<string>;
  secret_key_id: Generated<string | null>;
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
  expire_after_days: number;
  oldest_sequence: Generated<number>;
  webhook_count: Generated<number>;
  /** The `addedAt` of the last change, in milliseconds; 0 if there is none. */
  last_added: Generated<number>;
}

interface ReportTable {
  /** Increases with every report of any feed, and is never reused. */
  number: number;
  id: string;
  service_id: number;
  created_sequence: number;
  sequence: number;
  name: string;
  tags: string;
  host: string;
  port: number;
  /** Hexadecimal text, unlike the bytes in `sample` and `upload`. */
  sha256: string;
  reporter_id: string;
  reported_by: string;
  reported_at: string;
  first_seen_id: string;
  reference: string;
  confidence: number;
  status: ReportStatus;
  status_reason: string | null;
  status_note: string | null;
  status_by: string | null;
  updated_at: string;
  expires_at: string;
  corroboration: number;
  sightings: number;
  recurrence: number;
  confirmation: Confirmation;
  /** The service that answers for the C2, as of the last change of the declared hosts. */
  routed_to: string | null;
  body: string;
  /** When the desk first set `actioned` or `rejected`. */
  acted_at: Generated<string | null>;
  /** The bucket of that answer in `statistic_day`. */
  acted_bucket: Generated<number | null>;
  /** When the desk first set `acknowledged`, `actioned` or `rejected`. */
  acknowledged_at: Generated<string | null>;
  /** The bucket of that answer in `statistic_day`. */
  acknowledged_bucket: Generated<number | null>;
  /** When this version was added, in milliseconds: unique in its feed. */
  added_at: number;
  /** What the last answer by others says about the report. */
  judgement: Generated<Judgement | null>;
  /** The part of the reports of its day, from 1 on. */
  day_part: number;
}

/** The reports of a C2 by reporter, from its second report on. */
interface C2ReporterTable {
  service_id: number;
  host: string;
  port: number;
  reporter_id: string;
  reports: number;
}

interface C2RejectionTable {
  service_id: number;
  host: string;
  port: number;
  /** Not taken back, deleted ones included. */
  reports: number;
  sequence: number;
  pending_below: number | null;
}
export type C2RejectionRow = Selectable<C2RejectionTable>;

interface StatusChangeTable {
  number: number;
  sequence: number;
  at: string;
  status: ReportStatus;
  status_reason: string | null;
  status_note: string | null;
  status_by: string | null;
  /** 1: the report had this status before; only the reason or the note changed. */
  is_repeat: Generated<number>;
  /** 1: the reporter owned the feed. `null` for an expiry, or if it is older than this column. */
  is_self: number | null;
}

interface EventTable {
  service_id: number;
  sequence: number;
  type: 'created' | 'updated' | 'deleted';
  report_id: string;
  at: string;
  /** The number of the report; `null` if the event is no creation, or older than this column. */
  number: number | null;
}

interface TombstoneTable {
  report_id: string;
  service_id: number;
  sequence: number;
  deleted_at: string;
  deleted_by: string;
  reason: string;
  reporter_id: string | null;
  /** This and the columns of the report are `null` if the tombstone is older than them. */
  added_at: number | null;
  number: number | null;
  created_sequence: number | null;
  name: string | null;
  host: string | null;
  port: number | null;
  sha256: string | null;
  reported_at: string | null;
  judgement: Judgement | null;
  day_part: number;
}

interface IdempotencyTable {
  account_id: string;
  route: string;
  key: string;
  fingerprint: Uint8Array;
  answer: string;
  created_at: string;
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
  account_id: string;
  turn: number;
}

interface SearchTermTable {
  id: Generated<number>;
  service_id: number;
  text: string;
  folded: string;
}

/** A full-text index: it is queried by words, and returns row ids only. */
interface TextTable {
  rowid: number;
  words: string;
}

export type ServiceRow = Selectable<ServiceTable>;
export type ServiceClaimRow = Selectable<ServiceClaimTable>;
export type AccountRow = Selectable<AccountTable>;
export type TokenRow = Selectable<TokenTable>;
export type AuditRow = Selectable<AuditTable>;
export type ReportRow = Selectable<ReportTable>;
export type StatusChangeRow = Selectable<StatusChangeTable>;
export type NewReportRow = Insertable<ReportTable>;
export type SampleRow = Selectable<SampleTable>;
export type UploadRow = Selectable<UploadTable>;
export type ProposalRow = Selectable<ProposalTable>;
export type JobRow = Selectable<JobTable>;
export type FuzzyHashRow = Selectable<FuzzyHashTable>;
export type WebhookRow = Selectable<WebhookTable>;
export type DeliveryRow = Selectable<DeliveryTable>;
