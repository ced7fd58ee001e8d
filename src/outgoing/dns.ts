import { Resolver } from 'node:dns/promises';

export interface DnsOptions {
  /** `address` or `address:port`; by default the name servers of the system. */
  readonly server?: string | undefined;
  /** For all attempts of one question. */
  readonly timeoutMs?: number | undefined;
}

/** `failed`: the name server answered with an error. `timeout`: it did not answer in time. */
export type DnsFailure = 'failed' | 'timeout';

/** No answer about a name, which says nothing about the name. */
export class DnsError extends Error {
  readonly failure: DnsFailure;

  constructor(failure: DnsFailure, cause: unknown) {
    super(`the name server gave no answer: ${failure}`, { cause });
    this.failure = failure;
  }
}

const TIMEOUT_MS = 8000;
/** The wait for one attempt. Further ones wait longer, up to the maximum. */
const ATTEMPT_MS = 2000;
const MAX_ATTEMPT_MS = 3000;
const TRIES = 2;

/** The name does not exist, it has no such records, or it cannot exist. */
const ABSENT: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];
const TIMED_OUT: readonly string[] = ['ETIMEOUT', 'ECANCELLED'];

/**
 * Queries name servers directly: `dns.lookup` shares the few threads of libuv, and slow names would
 * block all other users of the thread pool. An answer has at most 64 KiB, by the protocol.
 */
export class Dns {
  readonly #options: DnsOptions;

  constructor(options: DnsOptions = {}) {
    this.#options = options;
  }

  /** All addresses of a name; none if it does not exist. Rejects if no question was answered. */
  async addressesOf(name: string): Promise<readonly string[]> {
    const found = await Promise.allSettled([
      this.#ask((resolver) => resolver.resolve4(name)),
      this.#ask((resolver) => resolver.resolve6(name)),
    ]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const failed = found.find((one) => one.status === 'rejected');
    if (addresses.length === 0 && failed !== undefined) throw failed.reason;
    return addresses;
  }

  /** The TXT records of a name, each with its parts joined. */
  async textsOf(name: string, signal?: AbortSignal): Promise<readonly string[]> {
    const records = await this.#ask((resolver) => resolver.resolveTxt(name), signal);
    return records.map((parts) => parts.join(''));
  }

  /** A resolver for each question: `cancel` ends all questions of one. */
  async #ask<Answer>(
    question: (resolver: Resolver) => Promise<readonly Answer[]>,
    signal?: AbortSignal,
  ): Promise<readonly Answer[]> {
    const { server, timeoutMs = TIMEOUT_MS } = this.#options;
    const resolver = new Resolver({
      timeout: Math.min(ATTEMPT_MS, timeoutMs),
      maxTimeout: MAX_ATTEMPT_MS,
      tries: TRIES,
    });
    if (server !== undefined) resolver.setServers([server]);
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, timeoutMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await question(resolver);
    } catch (cause) {
      const { code = '' } = cause as NodeJS.ErrnoException;
      if (ABSENT.includes(code)) return [];
      throw new DnsError(TIMED_OUT.includes(code) ? 'timeout' : 'failed', cause);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }
}
