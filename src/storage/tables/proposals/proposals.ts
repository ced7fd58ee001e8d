import type { Kysely } from 'kysely';
import type { DismissalReason } from '../../../domain/proposals/proposal.ts';
import type { ProposalRow, Tables } from '../../schema/tables.ts';
import { query } from '../../units/query.ts';
import { unindexedText } from '../../units/unindexed-columns.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const COLUMNS = [
  'proposal.id',
  'proposal.sha256',
  'proposal.file_name',
  'proposal.host',
  'proposal.port',
  'proposal.family',
  'proposal.tags',
  'proposal.state',
  'proposal.reason',
  'proposal.note',
  'proposal.report_id',
  'proposal.created_at',
  'service.slug',
  'service.confidence_scale',
] as const;

function selectFrom(db: Kysely<Tables>) {
  return db
    .selectFrom('proposal')
    .innerJoin('service', 'service.id', 'proposal.service_id')
    .select(COLUMNS);
}

interface PageValues {
  accountId: string;
  before: string;
  limit: number;
}

export const selectPage = query<PageValues>()((db, parameter) =>
  selectFrom(db)
    .where('proposal.account_id', '=', parameter.accountId)
    .where('proposal.id', '<', parameter.before)
    .orderBy('proposal.id', 'desc')
    .limit(parameter.limit),
);

export const selectPageOfState = query<PageValues & { state: ProposalRow['state'] }>()(
  (db, parameter) =>
    selectFrom(db)
      .where('proposal.account_id', '=', parameter.accountId)
      .where('proposal.state', '=', parameter.state)
      .where('proposal.id', '<', parameter.before)
      .orderBy('proposal.id', 'desc')
      .limit(parameter.limit),
);

/** At most `MAX_PROPOSALS`. */
export const selectOfFile = query<{ accountId: string; sha256: Uint8Array }>()((db, parameter) =>
  selectFrom(db)
    .where('proposal.sha256', '=', parameter.sha256)
    .where('proposal.account_id', '=', parameter.accountId),
);

export const selectOne = query<{ id: string; accountId: string }>()((db, parameter) =>
  selectFrom(db)
    .where('proposal.id', '=', parameter.id)
    .where(unindexedText('account_id'), '=', parameter.accountId),
);

interface DismissalValues {
  id: string;
  accountId: string;
  reason: DismissalReason;
  note: string | null;
  changed_at: string;
}

/** If one call dismisses a proposal and another reports it, the first to lock the row wins. */
export const updateDismissed = query<DismissalValues>()((db, parameter) =>
  db
    .updateTable('proposal')
    .set({
      state: 'dismissed',
      reason: parameter.reason,
      note: parameter.note,
      changed_at: parameter.changed_at,
    })
    .where('id', '=', parameter.id)
    .where(unindexedText('account_id'), '=', parameter.accountId)
    .where(unindexedText('state'), '!=', 'reported')
    .returning('id'),
);

/** A proposal that is being decided at the moment is skipped. */
const selectOld = query<{ before: string; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('proposal')
    .select('id')
    .where('changed_at', '<', parameter.before)
    .orderBy('changed_at')
    .limit(parameter.limit)
    .$if(dialect === 'postgres', (old) => old.forUpdate().skipLocked()),
);

export const deleteProposal = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('proposal').where('id', '=', parameter.id),
);

export function* deleteOldProposals(before: Date, limit: number): UnitOfWork<number> {
  const old = yield* rows(selectOld, { before: before.toISOString(), limit });
  yield* each(
    deleteProposal,
    old.map(({ id }) => ({ id })),
  );
  return old.length;
}
