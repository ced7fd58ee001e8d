import { seal, unseal } from '../../domain/reports/cursor.ts';
import type { Dependencies } from '../../operations/dependencies.ts';

const LIFETIME_MS = 30_000;
const NONCE_BYTES = 16;

export interface Ticket {
  readonly ticket: string;
  readonly expiresAt: Date;
}

/**
 * A browser can set no header where it opens a stream, and a token does not belong into an address. So whoever has a
 * token gets a ticket for it: good for one stream, once, for half a minute.
 *
 *   milliseconds at which it ends, base 36 | "." | nonce | "." | digest of the token, base64url
 *
 * sealed for the feed. It does not outlive its token, whose digest is looked up when the ticket is used.
 */
export class StreamTickets {
  readonly #deps: Pick<Dependencies, 'store' | 'now' | 'randomBytes'>;
  /** Those that were used, with when they end: after that they are refused for their age. */
  readonly #used = new Map<string, number>();

  constructor(deps: Pick<Dependencies, 'store' | 'now' | 'randomBytes'>) {
    this.#deps = deps;
  }

  async issue(scope: string | undefined, digest: Uint8Array): Promise<Ticket> {
    const { store, now, randomBytes } = this.#deps;
    const secret = await store.feeds.secret();
    const expiresAt = new Date(now().getTime() + LIFETIME_MS);
    const parts = [
      expiresAt.getTime().toString(36),
      Buffer.from(randomBytes(NONCE_BYTES)).toString('base64url'),
      Buffer.from(digest).toString('base64url'),
    ];
    return { ticket: seal(secret, purposeOf(scope), parts.join('.')), expiresAt };
  }

  /** The digest of the token behind it, once. */
  async redeem(scope: string | undefined, ticket: string): Promise<Uint8Array | undefined> {
    const secret = await this.#deps.store.feeds.secret();
    const [ends = '', , digest = ''] = unseal(secret, purposeOf(scope), ticket)?.split('.') ?? [];
    const endsMs = Number.parseInt(ends, 36);
    // Without a pause from here on: two who come at once must not both get in.
    const nowMs = this.#deps.now().getTime();
    this.#removeExpired(nowMs);
    if (!(endsMs > nowMs) || this.#used.has(ticket)) return undefined;
    this.#used.set(ticket, endsMs);
    return Buffer.from(digest, 'base64url');
  }

  #removeExpired(nowMs: number): void {
    for (const [ticket, endsMs] of this.#used) if (endsMs <= nowMs) this.#used.delete(ticket);
  }
}

function purposeOf(scope: string | undefined) {
  return ['ticket', scope];
}
