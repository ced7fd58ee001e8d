import { timingSafeEqual } from 'node:crypto';
import { type Caller, isLive } from '../domain/caller.ts';
import { digestToken, isToken } from '../domain/token.ts';
import type { Dependencies } from './dependencies.ts';

/** Whose token it is, where it is a live one. A mistyped one never reaches the store. */
export async function identifyCaller(
  deps: Pick<Dependencies, 'store' | 'now'>,
  token: string,
): Promise<Caller | undefined> {
  if (!isToken(token)) return undefined;
  const digest = digestToken(token);
  const credential = await deps.store.access.findCredential(digest);
  if (credential === undefined || !timingSafeEqual(digest, credential.digest)) return undefined;
  return isLive(credential, deps.now()) ? credential.caller : undefined;
}
