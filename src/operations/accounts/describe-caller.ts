import type { Caller } from '../../domain/accounts/caller.ts';
import type { Session } from '../../domain/accounts/session.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Account, Token } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';
import { currentPosition } from '../reports/read-changes.ts';
import { findAccount } from './find-account.ts';

export interface DescribedCaller {
  readonly account: Account;
  /** The services whose feeds the account owns. */
  readonly services: readonly Service[];
  /** `undefined` if the request was made with a token. */
  readonly session: (Session & { readonly feedPosition: string }) | undefined;
  /** `undefined` if the request was made with a session. */
  readonly token: Token | undefined;
}

export async function describeCaller(deps: Dependencies, caller: Caller): Promise<DescribedCaller> {
  const { session, tokenId } = caller;
  const [account, token] = await Promise.all([
    findAccount(deps, caller.accountId),
    session === undefined ? deps.store.tokens.find(tokenId) : undefined,
  ]);
  const services = await Promise.all(
    account.services.map((slug) => deps.store.access.findService(slug)),
  );
  return {
    account,
    services: services.filter((service) => service !== undefined),
    session: session && { ...session, feedPosition: await currentPosition(deps) },
    token,
  };
}
