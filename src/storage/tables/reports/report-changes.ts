import type { Judgement } from '../../../domain/trust/judgement.ts';
import type { NewReportRow, ReportRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';
import { unindexedNumber } from '../../units/unindexed-columns.ts';
import { CURRENT_C2_COUNTS } from './c2-history.ts';

const CHANGED = [
  'name',
  'confirmation',
  'routed_to',
  'sequence',
  'added_at',
  'updated_at',
  'body',
] as const satisfies readonly (keyof ReportRow)[];

export const updateReport = query<Pick<ReportRow, 'id' | (typeof CHANGED)[number]>>()(
  (db, parameter) =>
    db
      .updateTable('report')
      .set({ ...all(parameter, CHANGED), ...CURRENT_C2_COUNTS })
      .where('id', '=', parameter.id),
);

export const deleteReport = query<{ id: string; service: string }>()((db, parameter) =>
  db
    .deleteFrom('report')
    .where('id', '=', parameter.id)
    // Restricts the deletion to the feed whose ownership was checked.
    .where(unindexedNumber('service_id'), '=', (from) =>
      from.selectFrom('service').select('service.id').where('service.slug', '=', parameter.service),
    )
    .returning([
      'number',
      'service_id',
      'created_sequence',
      'day_part',
      'name',
      'tags',
      'host',
      'port',
      'sha256',
      'reporter_id',
      'reported_by',
      'reported_at',
      'status',
      'status_reason',
      'status_by',
      'judgement',
      'confirmation',
      'routed_to',
      'recurrence',
      'acted_at',
      'acted_bucket',
      'acknowledged_at',
      'acknowledged_bucket',
    ]),
);

export const insertTombstone = query<{
  report_id: string;
  service_id: number;
  sequence: number;
  deleted_at: string;
  deleted_by: string;
  reason: string;
  reporter_id: string;
  added_at: number;
  number: number;
  created_sequence: number;
  name: string;
  host: string;
  port: number;
  sha256: string;
  reported_at: string;
  judgement: Judgement | null;
  day_part: number;
}>()((db, parameter) =>
  db
    .insertInto('tombstone')
    .values(
      all(parameter, [
        'report_id',
        'service_id',
        'sequence',
        'deleted_at',
        'deleted_by',
        'reason',
        'reporter_id',
        'added_at',
        'number',
        'created_sequence',
        'name',
        'host',
        'port',
        'sha256',
        'reported_at',
        'judgement',
        'day_part',
      ]),
    ),
);

export const NO_REASON = { status_reason: null, status_note: null, status_by: null } as const;

export const setExpired = query<{
  id: string;
  sequence: number;
  added_at: number;
  updated_at: string;
}>()((db, parameter) =>
  db
    .updateTable('report')
    .set({
      ...all(parameter, ['sequence', 'added_at', 'updated_at']),
      ...CURRENT_C2_COUNTS,
      status: 'expired',
      ...NO_REASON,
    })
    .where('id', '=', parameter.id),
);

export const renewReport = query<{
  id: string;
  sequence: number;
  added_at: number;
  updated_at: string;
  expires_at: string;
}>()((db, parameter) =>
  db
    .updateTable('report')
    .set({
      ...all(parameter, ['sequence', 'added_at', 'updated_at', 'expires_at']),
      ...CURRENT_C2_COUNTS,
    })
    .where('id', '=', parameter.id),
);

/** The columns of an insert. */
export const COLUMNS = [
  'number',
  'id',
  'service_id',
  'created_sequence',
  'sequence',
  'name',
  'tags',
  'host',
  'port',
  'sha256',
  'reporter_id',
  'reported_by',
  'reported_at',
  'first_seen_id',
  'reference',
  'confidence',
  'status',
  'status_reason',
  'status_note',
  'updated_at',
  'expires_at',
  'corroboration',
  'sightings',
  'recurrence',
  'confirmation',
  'routed_to',
  'body',
  'added_at',
  'day_part',
] as const satisfies readonly (keyof ReportRow)[];

export const insertReport = query<NewReportRow>()((db, parameter) =>
  db.insertInto('report').values(all(parameter, COLUMNS)),
);
