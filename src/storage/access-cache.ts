import type { Credential } from '../domain/accounts/caller.ts';
import type { Service } from '../domain/reports/service.ts';
import type { AccessStore } from '../ports/store.ts';
import { findCredential } from './sql/accounts/credentials.ts';
import { findService } from './sql/feeds/services.ts';
import { type Runner, sideBySide, type UnitOfMany } from './unit-of-work.ts';

/** Gathered, as lookups are: who calls is known however long all lists take. */
const findCredentials: UnitOfMany<Uint8Array, Credential | undefined> = (digests) =>
  sideBySide(...digests.map(findCredential));
const findServices: UnitOfMany<string, Service | undefined> = (slugs) =>
  sideBySide(...slugs.map(findService));

/** More live tokens than this on one process are rare; the oldest entries then go first. */
const MAX_ENTRIES = 20_000;

/**
 * Tokens and services as last read. Before an entry is used, the runner is asked whether anybody else has
 * committed since (the command line beside a running server, another process); own changes clear it. So a
 * revoked token is refused at the very next request. What was not found is never kept.
 */
export class AccessCache implements AccessStore {
  readonly #runner: Runner;
  readonly #credentials = new Map<string, Credential>();
  readonly #services = new Map<string, Service>();
  #clears = 0;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  recallCredential(digest: Uint8Array): Credential | undefined {
    return this.#recall(this.#credentials, keyOf(digest));
  }

  recallService(slug: string): Service | undefined {
    return this.#recall(this.#services, slug);
  }

  findCredential(digest: Uint8Array): Promise<Credential | undefined> {
    return this.#find(this.#credentials, keyOf(digest), () =>
      this.#runner.gatherRead(findCredentials, digest),
    );
  }

  findService(slug: string): Promise<Service | undefined> {
    return this.#find(this.#services, slug, () => this.#runner.gatherRead(findServices, slug));
  }

  clear(): void {
    this.#credentials.clear();
    this.#services.clear();
    this.#clears += 1;
  }

  #recall<Value>(kept: Map<string, Value>, key: string): Value | undefined {
    if (this.#runner.changedElsewhere()) this.clear();
    return kept.get(key);
  }

  async #find<Value>(
    kept: Map<string, Value>,
    key: string,
    read: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    const known = this.#recall(kept, key);
    if (known !== undefined) return known;
    const clears = this.#clears;
    const value = await read();
    // Not where something has changed while it was read: it may be what was before.
    if (value !== undefined && clears === this.#clears) {
      if (kept.size >= MAX_ENTRIES) kept.delete(kept.keys().next().value as string);
      kept.set(key, value);
    }
    return value;
  }
}

function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('latin1');
}
