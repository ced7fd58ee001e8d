import type { DismissalReason } from '../../../domain/proposals/proposal.ts';
import type { ProposalRoute } from '../../../domain/proposals/proposal-route.ts';
import type { Proposal, ProposalPage } from '../../../ports/proposal-store.ts';
import type { ProposalRow } from '../../schema/tables.ts';
import {
  selectOfFile,
  selectOne,
  selectPage,
  selectPageOfState,
} from '../../tables/proposals/proposals.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { routesOfProposals } from './route-proposals.ts';

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
