import { timingSafeEqual } from 'node:crypto';
import { type Caller, isLive } from '../../domain/accounts/caller.ts';
import { digestToken, isToken } from '../../domain/accounts/token.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * The same without asking the store: whose token it is, where that is known and the token is live. Most calls
 * come with a token that was seen before, and the digest that finds it is the check.
 */
export function recallCaller(
  deps: Pick<Dependencies, 'store' | 'now'>,
  digest: Uint8Array,
): Caller | undefined {
  const credential = deps.store.access.recallCredential(digest);
  return credential && isLive(credential, deps.now()) ? credential.caller : undefined;
}

/** Whose token it is, where it is a live one. A mistyped one never reaches the store. */
export async function identifyCaller(
  deps: Pick<Dependencies, 'store' | 'now'>,
  token: string,
): Promise<Caller | undefined> {
  if (!isToken(token)) return undefined;
  return identifyByDigest(deps, digestToken(token));
}

/** The same where only what is stored of the token is at hand. */
export async function identifyByDigest(
  deps: Pick<Dependencies, 'store' | 'now'>,
  digest: Uint8Array,
): Promise<Caller | undefined> {
  const credential = await deps.store.access.findCredential(digest);
  if (credential === undefined || !timingSafeEqual(digest, credential.digest)) return undefined;
  return isLive(credential, deps.now()) ? credential.caller : undefined;
}
