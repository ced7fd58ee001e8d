import { DAY_COLUMNS, REPORTER_COLUMNS, TOTAL_COLUMNS } from '../schema/statistic-tables.ts';

/** A table whose rows are copied and compared in the order of the key. */
export interface MovedTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

const table = (name: string, key: string, others = ''): MovedTable => ({
  name,
  key: key.split(' '),
  columns: [...key.split(' '), ...others.split(' ').filter(Boolean)],
});

/**
 * Referenced tables come before those that refer to them. A test compares this with the schemas.
 */
export const MOVED: readonly MovedTable[] = [
  table(
    'service',
    'id',
    'slug name confidence_scale hosts networks last_sequence created_at expire_after_days oldest_sequence webhook_count last_added',
  ),
  table('service_pattern', 'key slug', 'pattern verified'),
  table('network_length', 'version length', 'patterns'),
  table('service_challenge', 'slug', 'token created_at'),
  table(
    'service_claim',
    'slug suffix',
    'method verified_at asked_at checked_at failing_since problem due_at leased_until',
  ),
  table(
    'account',
    'id',
    'name roles quota_limit quota_period quota_used quota_window quota_extra quota_from_extra usage_day usage_units closed_day closed_units itemised_after creates_per_minute creates_burst disabled expires_at created_at name_key',
  ),
  table('account_service', 'account_id service_id'),
  table('account_usage', 'account_id', 'stored_bytes status_bytes'),
  table('account_day', 'account_id day', 'units'),
  table('account_charge', 'account_id day token_id operation', 'units first_at last_at'),
  table(
    'token',
    'id',
    'account_id digest hint label created_at expires_at last_used_at revoked_at issuer_id issued_via issuer_account_id',
  ),
  table('audit', 'id', 'at actor action subject detail'),
  table(
    'report',
    'number',
    'id service_id created_sequence sequence name tags host port sha256 reporter_id reported_by reported_at first_seen_id reference confidence status status_reason status_note status_by updated_at expires_at corroboration sightings recurrence confirmation routed_to body acted_at acted_bucket acknowledged_at acknowledged_bucket added_at judgement day_part',
  ),
  table('report_tag', 'service_id tag number'),
  table('host_report', 'service_id host number'),
  table(
    'status_change',
    'number sequence',
    'at status status_reason status_note status_by is_repeat is_self',
  ),
  table('statistic_total', 'scope', TOTAL_COLUMNS.join(' ')),
  table('statistic_day', 'scope day', DAY_COLUMNS.join(' ')),
  table('statistic_reporter', 'reporter_id service_id', REPORTER_COLUMNS.join(' ')),
  table('deleted_judgement', 'reporter_id service_id', 'judged_right judged_wrong'),
  table('statistic_family', 'scope name', 'reports'),
  table('c2_reporter', 'service_id host port reporter_id', 'reports'),
  table('c2_rejection', 'service_id host port', 'reports sequence pending_below'),
  table('event', 'service_id sequence', 'type report_id at number'),
  table(
    'tombstone',
    'report_id',
    'service_id sequence deleted_at deleted_by reason reporter_id added_at number created_sequence name host port sha256 reported_at judgement day_part',
  ),
  table('report_day', 'service_id day', 'reports'),
  table('misp_event', 'id', 'service_id day part stamp first_reported_at last_reported_at'),
  table('misp_position', 'service_id', 'added_at'),
  table('idempotency', 'account_id route key', 'fingerprint answer created_at'),
  table('sample', 'id', 'sha256 blake3 sha512 family analysed_at body'),
  table('sample_hash', 'id', 'sample_id'),
  table('sample_tombstone', 'sha256', 'deleted_at deleted_by reason'),
  table(
    'upload',
    'sha256',
    'blake3 sha512 md5 sha1 size_bytes file_name uploaded_by uploaded_at state reason ended_at attempts reanalysis',
  ),
  table('further_upload', 'sha256 account_id', 'file_name uploaded_at'),
  table(
    'reanalysis',
    'id',
    'state analysed_before position_at position_sha256 queued started_by started_at ended_at',
  ),
  table(
    'proposal',
    'id',
    'account_id sha256 file_name service_id host port family tags state reason note report_id created_at changed_at',
  ),
  table('sample_detail', 'sample_id', 'body'),
  table('sample_c2', 'number', 'reversed port sample_id leads has_more family'),
  table('fuzzy_hash', 'id', 'text file_name tags due'),
  table('gram', 'gram fuzzy_hash_id'),
  table('tlsh', 'id', 'text'),
  table('tlsh_band', 'band tlsh_id'),
  table('back_fill', 'name', 'position'),
  table(
    'webhook',
    'id',
    'service_id url events format created_by created_at disabled_at disabled_reason failing_since paused_until removed_at account_id disabled_by mail_format mail_delivery failing_delivery',
  ),
  table('webhook_secret', 'webhook_id number', 'sealed valid_until key_id'),
  table(
    'delivery',
    'number',
    'id webhook_id event sequence report_id state attempts due_at lease leased_until last_status last_error created_at finished_at',
  ),
  table('search_host', 'reversed service_id'),
  table('search_term', 'id', 'service_id text folded'),
  table('pending_rename', 'sha256', 'service_id number'),
  table('stored_position', 'digest', 'positions used_at'),
  table('taxii_status', 'id', 'account_id created_at body size_bytes'),
];

/** Has one row from the first migration on, which is updated. */
export const INSTALLATION = table(
  'installation',
  'id',
  'secret access_version object_namespace charges_from',
);

/**
 * Not copied: `migration` and `admission` describe the target; jobs and their tags are created
 * from pending uploads; the words of the search are derived, because their form differs. Sessions
 * and links end with a move: a copy could revive one that ended since. `moving` exists only during
 * a move.
 */
export const LEFT_OUT = [
  'migration',
  'admission',
  'session',
  'sign_in_link',
  'job',
  'job_turn',
  'term_text',
  'sample_text',
  'moving',
];

/**
 * Not compared: `last_report` exists on SQLite only, and is set by `setNumbers`; the clock is
 * measured again; the id of the key is written by every start.
 */
export const LEFT_OUT_COLUMNS = [
  'installation.last_report',
  'installation.clock_at',
  'installation.clock_timer',
  'installation.clock_timer_ms',
  'installation.secret_key_id',
];
