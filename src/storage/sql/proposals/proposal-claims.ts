import type { CreateOutcome } from '../../../ports/report-store.ts';
import type { ProposalRow } from '../../tables.ts';
import { each, query, type UnitOfWork } from '../../unit-of-work.ts';
import { unindexedText } from '../unindexed-columns.ts';

/** Locked, so that it is not dismissed before the commit. */
const selectState = query<{ id: string; accountId: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('proposal')
    .select(['state', 'report_id'])
    .where('id', '=', parameter.id)
    .where(unindexedText('account_id'), '=', parameter.accountId)
    .$if(dialect === 'postgres', (proposal) => proposal.forUpdate()),
);

interface ReportedValues {
  id: string;
  report_id: string;
  changed_at: string;
}

const updateReported = query<ReportedValues>()((db, parameter) =>
  db
    .updateTable('proposal')
    .set({
      state: 'reported',
      report_id: parameter.report_id,
      changed_at: parameter.changed_at,
    })
    .where('id', '=', parameter.id),
);

/** A create with the members that its proposal needs. */
export interface ProposedCreate {
  readonly reporterId: string;
  readonly proposalId?: string | undefined;
  readonly reportedAt: Date;
}

type State = Pick<ProposalRow, 'state' | 'report_id'>;

/**
 * The proposals that a batch of creates reports. A proposal is of one feed, which the caller has
 * locked, so that concurrent creates of the same proposal make one report.
 */
export class ProposalClaims {
  /** By account and id. */
  readonly #states = new Map<string, State>();
  readonly #reported: ReportedValues[] = [];

  *load(creates: readonly ProposedCreate[]): UnitOfWork<void> {
    const distinct = new Map<string, { readonly id: string; readonly accountId: string }>();
    for (const create of creates)
      if (create.proposalId !== undefined)
        distinct.set(keyOf(create), { id: create.proposalId, accountId: create.reporterId });
    const found = yield* each(selectState, [...distinct.values()]);
    for (const [index, key] of [...distinct.keys()].entries()) {
      const state = found[index]?.[0];
      if (state !== undefined) this.#states.set(key, state);
    }
  }

  /** The answer to a create whose proposal is not open. */
  find(create: ProposedCreate): CreateOutcome | undefined {
    if (create.proposalId === undefined) return undefined;
    const known = this.#states.get(keyOf(create));
    if (known === undefined) return { kind: 'proposal-absent' };
    if (known.report_id !== null) return { kind: 'replayed', id: known.report_id };
    return known.state === 'dismissed' ? { kind: 'proposal-dismissed' } : undefined;
  }

  add(create: ProposedCreate, reportId: string): void {
    if (create.proposalId === undefined) return;
    this.#states.set(keyOf(create), { state: 'reported', report_id: reportId });
    const changed_at = create.reportedAt.toISOString();
    this.#reported.push({ id: create.proposalId, report_id: reportId, changed_at });
  }

  *write(): UnitOfWork<void> {
    yield* each(updateReported, this.#reported);
  }
}

function keyOf({ reporterId, proposalId }: ProposedCreate): string {
  return `${reporterId} ${proposalId}`;
}
