import { Problem } from '../domain/problem.ts';
import type { Act } from '../ports/act.ts';
import type { Token } from '../ports/store.ts';
import type { Dependencies } from './dependencies.ts';

/** Revokes a token of that account, or of any where none is named. It stops working at the next request. */
export async function revokeToken(
  deps: Dependencies,
  act: Act,
  id: string,
  ofAccount?: string,
): Promise<Token> {
  const token = await deps.store.tokens.revoke(id, ofAccount, act);
  if (token === 'absent') throw new Problem('unknown_token');
  return token;
}
