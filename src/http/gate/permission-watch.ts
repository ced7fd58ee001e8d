import { PassThrough, type Readable } from 'node:stream';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { identifyByDigest, recallCaller } from '../../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../../operations/dependencies.ts';

/** How soon a transfer ends after its permission. */
const TICK_MS = 1000;

/** What a transfer that is under way relies on. */
export interface Grant {
  /** Of the token. */
  readonly digest: Uint8Array;
  /** Why the caller may not go on, `undefined` where it may: its role, or the feed it owns. */
  refusal(caller: Caller): Problem | undefined;
}

export interface Permission {
  /** Aborted with the `Problem` that says why. */
  readonly signal: AbortSignal;
  /** To be called when the transfer is over. */
  release(): void;
}

/** Checks the permission of transfers that take long, once a second, as streams do theirs. */
export class PermissionWatch {
  readonly #deps: Pick<Dependencies, 'store' | 'now'>;
  readonly #open = new Map<Grant, AbortController>();
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;

  constructor(deps: Pick<Dependencies, 'store' | 'now'>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  watch(grant: Grant): Permission {
    const controller = new AbortController();
    this.#open.set(grant, controller);
    this.#timer ??= setInterval(() => void this.tick(), TICK_MS).unref();
    return { signal: controller.signal, release: () => this.#release(grant) };
  }

  async tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      const byToken = Map.groupBy(this.#open.keys(), ({ digest }) =>
        Buffer.from(digest).toString('latin1'),
      );
      for (const grants of byToken.values()) await this.#check(grants);
    } finally {
      this.#isTicking = false;
    }
  }

  async #check(grants: readonly Grant[]): Promise<void> {
    const caller = grants[0] && (await this.#identify(grants[0].digest));
    for (const grant of grants) {
      const refusal = caller instanceof Problem ? caller : caller && grant.refusal(caller);
      if (refusal !== undefined) this.#open.get(grant)?.abort(refusal);
    }
  }

  async #identify(digest: Uint8Array): Promise<Caller | Problem> {
    try {
      const caller =
        recallCaller(this.#deps, digest) ?? (await identifyByDigest(this.#deps, digest));
      return caller ?? new Problem('token_invalid');
    } catch (cause) {
      // A permission that cannot be checked is refused.
      return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
    }
  }

  #release(grant: Grant): void {
    this.#open.delete(grant);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * A body for as long as its sender is permitted to send it: then it ends with the reason of the signal. What still arrives
 * is discarded, so that the connection can carry the answer.
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
