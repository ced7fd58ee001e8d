import { all, query } from '../../units/query.ts';
import type { IdRange } from './sample-rows.ts';

export const deleteSample = query<{ id: number }>()((db, parameter) =>
  db.deleteFrom('sample').where('id', '=', parameter.id).returning(['sha256', 'blake3', 'sha512']),
);

export const deleteHash = query<IdRange & { id: number }>()((db, parameter) =>
  db
    .deleteFrom('sample_hash')
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to)
    .where('sample_id', '=', parameter.id),
);

export const putTombstone = query<{
  sha256: Uint8Array;
  deleted_at: string;
  deleted_by: string;
  reason: string;
}>()((db, parameter) =>
  db
    .insertInto('sample_tombstone')
    .values(all(parameter, ['sha256', 'deleted_at', 'deleted_by', 'reason'])),
);
