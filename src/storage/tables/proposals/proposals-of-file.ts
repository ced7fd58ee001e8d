import { sql } from 'kysely';
import type { ProposalRow } from '../../schema/tables.ts';
import { query } from '../../units/query.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';

/** In the order of the index, so that PostgreSQL uses it whatever the statistics say. */
const selectOfAccount = query<{ sha256: Uint8Array; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('proposal')
    .select(['id', 'service_id', 'host', 'port', 'state'])
    .where('sha256', '=', parameter.sha256)
    .where('account_id', '=', parameter.accountId)
    .orderBy('service_id')
    .orderBy('host')
    .orderBy('port'),
);

export type OwnProposal = Pick<ProposalRow, 'id' | 'service_id' | 'host' | 'port' | 'state'>;

/** The proposals that accounts have of files, of which there are few: a list for each request. */
export function* proposalsOfFiles(
  requests: readonly { readonly sha256: Uint8Array; readonly accountId: string }[],
): UnitOfWork<readonly (readonly OwnProposal[])[]> {
  return yield* each(selectOfAccount, requests);
}

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
