import type { Credential } from '../../domain/accounts/caller.ts';
import type { Service } from '../../domain/services/service.ts';
import type { AccessStore } from '../../ports/store.ts';
import { findCredential } from '../tables/accounts/credentials.ts';
import { findService } from '../tables/services/services.ts';
import type { BatchUnit, Runner } from '../units/runner.ts';
import { allInParallel } from '../units/unit-of-work.ts';

// Batched, like lookups: authentication must not wait behind long lists.
const findCredentials: BatchUnit<Uint8Array, Credential | undefined> = (digests) =>
  allInParallel(digests.map(findCredential));
const findServices: BatchUnit<string, Service | undefined> = (slugs) =>
  allInParallel(slugs.map(findService));

/** Bounds the memory. The oldest entry is evicted first. */
const MAX_ENTRIES = 20_000;

/**
 * Caches credentials and services. Each lookup first asks the runner whether another process has
 * changed the store, such as a command run next to the server; changes by this process clear the
 * cache. So the next request with a revoked token is refused. Negative results are not cached.
 */
export class AccessCache implements AccessStore {
  readonly #runner: Runner;
  readonly #credentials = new Map<string, Credential>();
  readonly #services = new Map<string, Service>();
  #clears = 0;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  findCredential(digest: Uint8Array): Promise<Credential | undefined> {
    return this.#find(this.#credentials, keyOf(digest), () =>
      this.#runner.batchRead(findCredentials, digest),
    );
  }

  findService(slug: string): Promise<Service | undefined> {
    return this.#find(this.#services, slug, () => this.#runner.batchRead(findServices, slug));
  }

  clear(): void {
    this.#credentials.clear();
    this.#services.clear();
    this.#clears += 1;
  }

  async #find<Value>(
    cache: Map<string, Value>,
    key: string,
    read: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    if (this.#runner.changedElsewhere()) this.clear();
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const clears = this.#clears;
    const value = await read();
    // A change during the read may have made the value stale.
    if (value !== undefined && clears === this.#clears) {
      if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value as string);
      cache.set(key, value);
    }
    return value;
  }
}

function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('latin1');
}
