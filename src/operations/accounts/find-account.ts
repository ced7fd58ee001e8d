import { Problem } from '../../domain/problem.ts';
import type { Account } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

export async function findAccount(deps: Dependencies, idOrName: string): Promise<Account> {
  const account = await deps.store.accounts.find(idOrName, deps.now());
  if (account === undefined) throw new Problem('unknown_account');
  return account;
}
