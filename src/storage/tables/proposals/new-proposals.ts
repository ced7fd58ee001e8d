import type { ProposalRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';

const COLUMNS = [
  'id',
  'account_id',
  'sha256',
  'file_name',
  'service_id',
  'host',
  'port',
  'family',
  'tags',
  'state',
  'reason',
  'note',
  'report_id',
  'created_at',
  'changed_at',
] as const satisfies readonly (keyof ProposalRow)[];

export const insertProposal = query<ProposalRow>()((db, parameter) =>
  db.insertInto('proposal').values(all(parameter, COLUMNS)),
);

export const updateProposal = query<Pick<ProposalRow, 'id' | 'family' | 'tags'>>()(
  (db, parameter) =>
    db
      .updateTable('proposal')
      .set(all(parameter, ['family', 'tags']))
      .where('id', '=', parameter.id),
);

export const selectOfAccount = query<{ sha256: Uint8Array; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('proposal')
    .innerJoin('service', 'service.id', 'proposal.service_id')
    .select(['proposal.id', 'proposal.host', 'proposal.port', 'proposal.state', 'service.slug'])
    .where('proposal.sha256', '=', parameter.sha256)
    .where('proposal.account_id', '=', parameter.accountId),
);
