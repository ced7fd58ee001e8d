import type { Kysely } from 'kysely';
import type { DismissalReason } from '../../../domain/proposals/proposal.ts';
import type { Authority } from '../../../ports/authority.ts';
import type { Dismissal, Proposal, ProposalPage } from '../../../ports/proposal-store.ts';
import type { ProposalRow, Tables } from '../../schema/tables.ts';
import { requireRights } from '../../tables/accounts/permission.ts';
import { unindexedText } from '../../units/unindexed-columns.ts';
import { each, lockFiles, query, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type ProposalRoute, routesOfProposals } from './proposal-routes.ts';

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

interface ReadRow extends Omit<ProposalRow, 'account_id' | 'service_id' | 'changed_at'> {
  readonly slug: string;
  readonly confidence_scale: number;
}

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

const selectPage = query<PageValues>()((db, parameter) =>
  selectFrom(db)
    .where('proposal.account_id', '=', parameter.accountId)
    .where('proposal.id', '<', parameter.before)
    .orderBy('proposal.id', 'desc')
    .limit(parameter.limit),
);

const selectPageOfState = query<PageValues & { state: ProposalRow['state'] }>()((db, parameter) =>
  selectFrom(db)
    .where('proposal.account_id', '=', parameter.accountId)
    .where('proposal.state', '=', parameter.state)
    .where('proposal.id', '<', parameter.before)
    .orderBy('proposal.id', 'desc')
    .limit(parameter.limit),
);

/** At most `MAX_PROPOSALS`. */
const selectOfFile = query<{ accountId: string; sha256: Uint8Array }>()((db, parameter) =>
  selectFrom(db)
    .where('proposal.sha256', '=', parameter.sha256)
    .where('proposal.account_id', '=', parameter.accountId),
);

const selectOne = query<{ id: string; accountId: string }>()((db, parameter) =>
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

/** Of two concurrent calls that dismiss and report it, the first to lock the row wins. */
const updateDismissed = query<DismissalValues>()((db, parameter) =>
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

const deleteProposal = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('proposal').where('id', '=', parameter.id),
);

/** Sorts after every UUID. */
const AFTER_ALL = '~';

export function* listProposals({
  accountId,
  state,
  sha256,
  before = AFTER_ALL,
  limit,
}: ProposalPage): UnitOfWork<readonly Proposal[]> {
  if (sha256 !== undefined) {
    const found = yield* rows(selectOfFile, { accountId, sha256: Buffer.from(sha256, 'hex') });
    const matching = found
      .filter((one) => (state === undefined || one.state === state) && one.id < before)
      .sort((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, limit);
    return yield* fromRows(accountId, matching);
  }
  const page = { accountId, before, limit };
  const found =
    state === undefined
      ? yield* rows(selectPage, page)
      : yield* rows(selectPageOfState, { ...page, state });
  return yield* fromRows(accountId, found);
}

export function* findProposal(accountId: string, id: string): UnitOfWork<Proposal | undefined> {
  const found = yield* row(selectOne, { id, accountId });
  return found && (yield* fromRows(accountId, [found]))[0];
}

export function* dismissProposal(
  by: Authority,
  { id, reason, note, at }: Dismissal,
): UnitOfWork<Proposal | 'absent' | 'reported'> {
  yield* requireRights(by, { role: 'researcher', now: at });
  const { accountId } = by;
  const stored = yield* findProposal(accountId, id);
  if (stored === undefined) return 'absent';
  // A concurrent analysis does not withdraw it.
  yield* lockFiles([stored.sha256], { isShared: true });
  const changed_at = at.toISOString();
  const values = { id, accountId, reason, note: note ?? null, changed_at };
  const dismissed = yield* row(updateDismissed, values);
  const found = yield* findProposal(accountId, id);
  if (found === undefined) return 'absent';
  return dismissed === undefined ? 'reported' : found;
}

export function* deleteOldProposals(before: Date, limit: number): UnitOfWork<number> {
  const old = yield* rows(selectOld, { before: before.toISOString(), limit });
  yield* each(
    deleteProposal,
    old.map(({ id }) => ({ id })),
  );
  return old.length;
}

function* fromRows(accountId: string, found: readonly ReadRow[]): UnitOfWork<readonly Proposal[]> {
  const routes = yield* routesOfProposals(accountId, found);
  // One for each of `found`.
  return found.map((one, index) => fromRow(one, routes[index] as ProposalRoute));
}

function fromRow(found: ReadRow, route: ProposalRoute): Proposal {
  return {
    id: found.id,
    state: found.state,
    service: route.service,
    confidenceScale: route.confidenceScale,
    c2: { host: found.host, port: found.port },
    sha256: Buffer.from(found.sha256).toString('hex'),
    fileName: found.file_name,
    family: found.family ?? undefined,
    tags: JSON.parse(found.tags),
    // Only reasons of this type are written.
    reason: (found.reason as DismissalReason | null) ?? undefined,
    note: found.note ?? undefined,
    reportId: found.report_id ?? undefined,
    createdAt: new Date(found.created_at),
    isUnrouted: route.isUnrouted,
  };
}
