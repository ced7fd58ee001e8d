import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Account, AccountChanges } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';
import { permissionProblem } from '../permission.ts';
import { ownershipProblem } from './add-account.ts';

/** `by`: the administrator; absent on the command line, which may lock everybody out. */
export async function changeAccount(
  deps: Dependencies,
  audit: AuditContext,
  idOrName: string,
  changes: AccountChanges,
  by?: Caller,
): Promise<Account> {
  const roles = changes.roles && [...new Set(changes.roles)];
  const account = await deps.store.accounts.change(idOrName, { ...changes, roles }, audit, by);
  if (account === 'absent') throw new Problem('unknown_account');
  if (account === 'own-account') throw new Problem('own_account');
  if (account === 'last-administrator') throw new Problem('last_administrator');
  if (typeof account === 'string') throw ownershipProblem(account);
  if ('refusal' in account) throw permissionProblem(account.refusal, 'admin');
  return account;
}
