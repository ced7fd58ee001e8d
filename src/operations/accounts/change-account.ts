import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Account, AccountChanges } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';
import { unknownServices } from './add-account.ts';

export async function changeAccount(
  deps: Dependencies,
  audit: AuditContext,
  idOrName: string,
  changes: AccountChanges,
): Promise<Account> {
  const roles = changes.roles && [...new Set(changes.roles)];
  const account = await deps.store.accounts.change(idOrName, { ...changes, roles }, audit);
  if (account === 'absent') throw new Problem('unknown_account');
  if (account === 'unknown-service') throw unknownServices();
  return account;
}
