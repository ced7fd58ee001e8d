import type { Authority } from '../../../ports/authority.ts';
import type { Dismissal, Proposal } from '../../../ports/proposal-store.ts';
import { requireRights } from '../../tables/accounts/permission.ts';
import { updateDismissed } from '../../tables/proposals/proposals.ts';
import { lockFiles } from '../../units/locks.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { findProposal } from './list-proposals.ts';

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
