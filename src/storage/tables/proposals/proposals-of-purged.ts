import { sql } from 'kysely';
import { query } from '../../units/query.ts';

/** A literal: SQLite uses a partial index only if the query contains its condition. */
const OPEN = sql.lit('open' as const);

interface OfFile {
  sha256: Uint8Array;
  limit: number;
}

export const selectOfFile = query<OfFile>()((db, parameter) =>
  db
    .selectFrom('proposal')
    .select('id')
    .where('sha256', '=', parameter.sha256)
    .limit(parameter.limit),
);

export const selectOpenOfFile = query<OfFile>()((db, parameter) =>
  db
    .selectFrom('proposal')
    .select('id')
    .where('sha256', '=', parameter.sha256)
    .where('state', '=', OPEN)
    .limit(parameter.limit),
);

export const deleteProposal = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('proposal').where('id', '=', parameter.id),
);

export const selectUploads = query<OfFile>()((db, parameter) =>
  db
    .selectFrom('further_upload')
    .select(['sha256', 'account_id'])
    .where('sha256', '=', parameter.sha256)
    .orderBy('account_id')
    .limit(parameter.limit),
);

export const deleteUpload = query<{ sha256: Uint8Array; account_id: string }>()((db, parameter) =>
  db
    .deleteFrom('further_upload')
    .where('sha256', '=', parameter.sha256)
    .where('account_id', '=', parameter.account_id),
);
