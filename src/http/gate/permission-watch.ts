import { PassThrough, type Readable } from 'node:stream';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { identifyByDigest } from '../../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../../operations/dependencies.ts';

/** A transfer ends within this time after its permission was revoked. */
const TICK_MS = 1000;

/** What is checked while a transfer runs. */
export interface PermissionCheck {
  /** The digest of the caller's token. */
  readonly digest: Uint8Array;
  /** Why the caller may not continue, by its roles and the feeds it owns; `undefined` if it may. */
  refusal(caller: Caller): Problem | undefined;
}

export interface Permission {
  /** Aborted with a `Problem` as the reason. */
  readonly signal: AbortSignal;
  /** Must be called when the transfer has ended. */
  release(): void;
}

/** Checks the permission of long transfers once a second, as `Streams` does for streams. */
export class PermissionWatch {
  readonly #deps: Pick<Dependencies, 'store' | 'now'>;
  readonly #open = new Map<PermissionCheck, AbortController>();
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;

  constructor(deps: Pick<Dependencies, 'store' | 'now'>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  watch(check: PermissionCheck): Permission {
    const controller = new AbortController();
    this.#open.set(check, controller);
    this.#timer ??= setInterval(() => void this.tick(), TICK_MS).unref();
    return { signal: controller.signal, release: () => this.#release(check) };
  }

  async tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      const byToken = Map.groupBy(this.#open.keys(), ({ digest }) =>
        Buffer.from(digest).toString('latin1'),
      );
      for (const checks of byToken.values()) await this.#check(checks);
    } finally {
      this.#isTicking = false;
    }
  }

  async #check(checks: readonly PermissionCheck[]): Promise<void> {
    const caller = checks[0] && (await this.#identify(checks[0].digest));
    for (const check of checks) {
      const refusal = caller instanceof Problem ? caller : caller && check.refusal(caller);
      if (refusal !== undefined) this.#open.get(check)?.abort(refusal);
    }
  }

  async #identify(digest: Uint8Array): Promise<Caller | Problem> {
    try {
      const caller = await identifyByDigest(this.#deps, digest);
      return caller ?? new Problem('token_invalid');
    } catch (cause) {
      // A permission that cannot be checked is refused.
      return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
    }
  }

  #release(check: PermissionCheck): void {
    this.#open.delete(check);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Passes the body through until `signal` aborts, and then fails with its reason. The remaining
 * input is discarded, so that the connection can carry the response.
 */
export function whilePermitted(body: Readable, signal: AbortSignal): Readable {
  const permitted = new PassThrough();
  const end = () => {
    body.unpipe(permitted);
    body.resume();
    permitted.destroy(signal.reason as Error);
  };
  body.once('error', (cause) => permitted.destroy(cause));
  permitted.once('close', () => signal.removeEventListener('abort', end));
  body.pipe(permitted);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);
  return permitted;
}
