import { seal, unseal } from '../../domain/reports/cursor.ts';
import type { Dependencies } from '../../operations/dependencies.ts';

const LIFETIME_MS = 30_000;
const NONCE_BYTES = 16;

export interface Ticket {
  readonly ticket: string;
  readonly expiresAt: Date;
}

/**
 * A browser cannot set a header when it opens a stream, and a token must not be in a URL. A ticket
 * replaces the token: it opens one stream, once, within 30 seconds.
 *
 *   expiry in milliseconds, base 36 | "." | nonce | "." | digest of the token, base64url
 *
 * sealed for the feed. The digest is looked up when the ticket is used, so a ticket of a revoked
 * token is refused.
 */
export class StreamTickets {
  readonly #deps: Pick<Dependencies, 'store' | 'now' | 'randomBytes'>;
  /** Tickets that were used, with the time they expire. */
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

  /** Returns the digest of the ticket's token, once. */
  async redeem(scope: string | undefined, ticket: string): Promise<Uint8Array | undefined> {
    const secret = await this.#deps.store.feeds.secret();
    const [ends = '', , digest = ''] = unseal(secret, purposeOf(scope), ticket)?.split('.') ?? [];
    const endsMs = Number.parseInt(ends, 36);
    // Synchronous from here on: a ticket must not be accepted twice by concurrent requests.
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
