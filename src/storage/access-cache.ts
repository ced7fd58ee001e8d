import type { Credential } from '../domain/caller.ts';
import type { Service } from '../domain/service.ts';
import type { Runner, UnitOfWork } from './unit-of-work.ts';

/** More live tokens than this on one process are rare; the oldest entries then go first. */
const MAX_ENTRIES = 20_000;

/**
 * Tokens and services as last read. Before an entry is used, the runner is asked whether anybody else has
 * committed since (the command line beside a running server, another process); own changes clear it. So a
 * revoked token is refused at the very next request. What was not found is never kept.
 */
export class AccessCache {
  readonly #runner: Runner;
  readonly #credentials = new Map<string, Credential>();
  readonly #services = new Map<string, Service>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  credential(
    digest: Uint8Array,
    work: () => UnitOfWork<Credential | undefined>,
  ): Promise<Credential | undefined> {
    const key = Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('latin1');
    return this.#through(this.#credentials, key, work);
  }

  service(slug: string, work: () => UnitOfWork<Service | undefined>): Promise<Service | undefined> {
    return this.#through(this.#services, slug, work);
  }

  clear(): void {
    this.#credentials.clear();
    this.#services.clear();
  }

  async #through<Value>(
    kept: Map<string, Value>,
    key: string,
    work: () => UnitOfWork<Value | undefined>,
  ): Promise<Value | undefined> {
    if (this.#runner.changedElsewhere()) this.clear();
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = await this.#runner.read(work);
    if (value !== undefined) {
      if (kept.size >= MAX_ENTRIES) kept.delete(kept.keys().next().value as string);
      kept.set(key, value);
    }
    return value;
  }
}
