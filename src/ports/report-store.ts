import type { C2Address } from '../domain/reports/c2-address.ts';
import type { Report } from '../domain/reports/report.ts';
import type { AuditContext } from './audit-context.ts';
import type { Refusal } from './authority.ts';

export interface NewReport {
  readonly id: string;
  readonly service: string;
  readonly tags: readonly string[];
  readonly c2: C2Address;
  readonly sha256: string;
  readonly reference: string;
  readonly confidence: number;
  readonly reporterId: string;
  readonly reportedBy: string;
  /** The token of the call, which must still be good when the report is committed. None is checked without it. */
  readonly tokenId?: string | undefined;
  readonly reportedAt: Date;
  readonly retry: RetryKey | undefined;
}

/** A client's key for one create: the same key and fingerprint again gets the first answer again. */
export interface RetryKey {
  readonly route: string;
  readonly key: string;
  readonly fingerprint: Uint8Array;
}

export type Created =
  | { readonly kind: 'created' | 'replayed'; readonly id: string }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'unknown-service' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface Deletion {
  readonly id: string;
  readonly by: string;
  readonly at: Date;
  readonly reason: string;
}

export interface ReportStore {
  /** Report, sequence number, event and retry key, together. */
  create(report: NewReport): Promise<Created>;
  find(service: string, id: string): Promise<Report | undefined>;
  /** The report in the form in which it is sent. */
  fetch(service: string, id: string): Promise<string | undefined>;
  /**
   * Deletes it from that feed where the feed is owned by, or the report was made by, that account. With a token, token
   * and ownership are checked again in the transaction.
   */
  delete(
    service: string,
    by: {
      readonly accountId: string;
      readonly ownsFeed: boolean;
      readonly tokenId?: string | undefined;
    },
    deletion: Deletion,
  ): Promise<'deleted' | 'absent' | 'forbidden' | 'token-ended'>;
  /** Deletes it from whichever feed it is in: what the law or a mistake demands. */
  purge(deletion: Deletion, audit: AuditContext): Promise<'deleted' | 'absent'>;
  /** Removes retry keys older than that, at most `limit`. Returns how many it removed; 0: none is left. */
  forgetRetryKeys(before: Date, limit: number): Promise<number>;
}
