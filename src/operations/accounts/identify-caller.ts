import { timingSafeEqual } from 'node:crypto';
import { type Caller, type Credential, isLive } from '../../domain/accounts/caller.ts';
import { digestToken, isSecret, isToken } from '../../domain/accounts/token.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the caller if the token is valid now. A mistyped token fails its checksum: no query. */
export async function identifyCaller(
  deps: Pick<Dependencies, 'store' | 'now'>,
  token: string,
): Promise<Caller | undefined> {
  if (!isToken(token)) return undefined;
  return identifyByDigest(deps, digestToken(token));
}

/** As `identifyCaller`, for a caller that has only the digest of the token. */
export async function identifyByDigest(
  deps: Pick<Dependencies, 'store' | 'now'>,
  digest: Uint8Array,
): Promise<Caller | undefined> {
  const credential = await findCredential(deps, digest);
  return credential && isLive(credential, deps.now()) ? credential.caller : undefined;
}

/**
 * Returns the caller of a session. A session that is stored but no longer valid has `ended`; other
 * secrets are `unknown`.
 */
export async function identifySession(
  deps: Pick<Dependencies, 'store' | 'now'>,
  secret: string,
): Promise<Caller | 'ended' | 'unknown'> {
  if (!isSecret('session', secret)) return 'unknown';
  const credential = await findCredential(deps, digestToken(secret));
  if (credential === undefined) return 'unknown';
  return isLive(credential, deps.now()) ? credential.caller : 'ended';
}

async function findCredential(
  { store }: Pick<Dependencies, 'store'>,
  digest: Uint8Array,
): Promise<Credential | undefined> {
  const found = await store.access.findCredential(digest);
  return found && timingSafeEqual(digest, found.digest) ? found : undefined;
}
