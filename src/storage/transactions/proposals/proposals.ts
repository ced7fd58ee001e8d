import type { DismissalReason } from '../../../domain/proposals/proposal.ts';
import type { Authority } from '../../../ports/authority.ts';
import type { Dismissal, Proposal, ProposalPage } from '../../../ports/proposal-store.ts';
import type { ProposalRow } from '../../schema/tables.ts';
import { requireRights } from '../../tables/accounts/permission.ts';
import {
  deleteProposal,
  selectOfFile,
  selectOld,
  selectOne,
  selectPage,
  selectPageOfState,
  updateDismissed,
} from '../../tables/proposals/proposals.ts';
import { lockFiles } from '../../units/locks.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type ProposalRoute, routesOfProposals } from './proposal-routes.ts';

interface ReadRow extends Omit<ProposalRow, 'account_id' | 'service_id' | 'changed_at'> {
  readonly slug: string;
  readonly confidence_scale: number;
}

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
