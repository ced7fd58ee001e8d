import type { Credential, Role } from '../domain/accounts/caller.ts';
import type { QuotaBalance, QuotaPolicy } from '../domain/accounts/quota.ts';
import type { BoundedExpiry } from '../domain/accounts/token-expiry.ts';
import type { Report } from '../domain/reports/report.ts';
import type { Service } from '../domain/reports/service.ts';
import type { AnalysisReport } from '../domain/samples/analysis-report.ts';
import type { AuditContext } from './audit-context.ts';
import type { Authority, Refusal } from './authority.ts';
import type { ClockStore } from './clock.ts';
import type { Examination } from './examination.ts';
import type { FeedStore } from './feed-store.ts';
import type { ReportStore } from './report-store.ts';
import type { SampleStore } from './sample-store.ts';
import type { SearchStore } from './search-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/**
 * Everything that must survive. Each method is one unit: it happens whole, durably and before the
 * promise settles, or not at all. Where the storage cannot be reached it rejects with the problem
 * `unavailable`.
 */
export interface Store {
  readonly access: AccessStore;
  readonly services: ServiceStore;
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly reports: ReportStore;
  readonly feeds: FeedStore;
  readonly webhooks: WebhookStore;
  readonly search: SearchStore;
  readonly samples: SampleStore;
  readonly audit: AuditStore;
  readonly clock: ClockStore;
  readonly examination: Examination;
  /** Rejects where the storage does not answer. */
  check(): Promise<void>;
  /**
   * Rejects where the last write has failed because of the disk and another one still does. Writes nothing as long as
   * writes succeed.
   */
  checkWrite(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How reports are kept ready to be sent. The wire form is the business of the edge; the store only keeps the
 * text, and renews it with every change.
 */
export interface Serializers {
  report(report: Report): string;
  analysis(report: AnalysisReport): string;
  /**
   * What of a kept text the indexes of files need: `undefined` where it cannot be read. Without it, reports that were
   * stored before there were such indexes stay out of them.
   */
  readAnalysis?(body: string): Likeness | undefined;
}

/** By what a report is found among similar ones and by searching, and shown there. */
export type Likeness = Pick<AnalysisReport, 'ssdeep' | 'fileName' | 'tags' | 'md5' | 'sha1'>;

/** What every request asks first. Answers may be cached, but never outlive a change of the store. */
export interface AccessStore {
  /** What is known without asking the store, and still holds; `undefined` may also mean that it must be asked. */
  recallCredential(digest: Uint8Array): Credential | undefined;
  recallService(slug: string): Service | undefined;
  findCredential(digest: Uint8Array): Promise<Credential | undefined>;
  findService(slug: string): Promise<Service | undefined>;
}

export interface ServiceStore {
  add(service: Service, audit: AuditContext): Promise<'added' | 'exists'>;
  change(
    slug: string,
    changes: ServiceChanges,
    audit: AuditContext,
  ): Promise<Service | 'absent' | 'scale-fixed'>;
  list(): Promise<readonly Service[]>;
}

/** What is `undefined` stays as it is. */
export interface ServiceChanges {
  readonly name?: string | undefined;
  readonly confidenceScale?: number | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly expireAfterDays?: number | undefined;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly services: readonly string[];
  readonly quota: QuotaBalance;
  readonly disabled: boolean;
  readonly expiresAt: Date | undefined;
  readonly createdAt: Date;
}

export interface NewAccount {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly services: readonly string[];
  readonly quota: QuotaPolicy;
  readonly expiresAt: Date | undefined;
}

/** What is `undefined` stays as it is; `null` takes the expiry away. */
export interface AccountChanges {
  readonly roles?: readonly Role[] | undefined;
  readonly services?: readonly string[] | undefined;
  readonly quota?:
    | { readonly [Part in keyof QuotaPolicy]?: QuotaPolicy[Part] | undefined }
    | undefined;
  /** Units added to those that never expire. */
  readonly topUp?: number | undefined;
  readonly disabled?: boolean | undefined;
  readonly expiresAt?: Date | null | undefined;
}

export interface AccountStore {
  /** The account and its first token together. */
  add(
    account: NewAccount,
    token: NewToken,
    audit: AuditContext,
  ): Promise<Account | 'exists' | 'unknown-service'>;
  /** Makes the account unless the store has one already: what the first start does, once. */
  addFirst(account: NewAccount, token: NewToken, audit: AuditContext): Promise<boolean>;
  change(
    id: string,
    changes: AccountChanges,
    audit: AuditContext,
  ): Promise<Account | 'absent' | 'unknown-service'>;
  find(idOrName: string, now: Date): Promise<Account | undefined>;
  /** By name. */
  list(page: AccountPage, now: Date): Promise<readonly Account[]>;
}

export interface AccountPage {
  /** Only names behind this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface NewToken {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly hint: string;
  readonly label: string;
  readonly expiresAt: Date | undefined;
  /** The id of the token with which it is issued; absent where an operator does it at a terminal. */
  readonly issuerId?: string | undefined;
}

export interface Token {
  readonly id: string;
  readonly accountId: string;
  readonly hint: string;
  readonly label: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly lastUsedAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  readonly issuerId: string | undefined;
}

export interface TokenPage {
  readonly limit: number;
  /** The id of the last token of the page before. */
  readonly after: string | undefined;
}

export interface IssueOptions {
  /** Its token is checked again and bounds the expiry. */
  readonly issuer?: Authority | undefined;
  /** How many live tokens the account may have, this one included. */
  readonly mostLive?: number | undefined;
}

export type IssuedToken =
  | Token
  | 'unknown-account'
  | 'too-many'
  | { readonly refusal: Refusal }
  | Extract<BoundedExpiry, { readonly outlives: string }>;

export interface TokenStore {
  /** `too-many` where the account has `mostLive` tokens already that are neither revoked nor expired. */
  issue(
    accountId: string,
    token: NewToken,
    audit: AuditContext,
    options?: IssueOptions,
  ): Promise<IssuedToken>;
  /**
   * Revokes it where it is of that account, or of any when none is given. Again is no error. `issued`: also every token that
   * was issued with it, and with those, as far as they are of that account.
   */
  revoke(
    id: string,
    ofAccount: string | undefined,
    audit: AuditContext,
    options?: { readonly issued?: boolean | undefined },
  ): Promise<Token | 'absent'>;
  /** In the order in which they were issued. */
  list(accountId: string, page: TokenPage): Promise<readonly Token[]>;
  /** Notes when tokens were last used; by id. */
  touch(uses: ReadonlyMap<string, Date>): Promise<void>;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditStore {
  /** Newest first, those with a lower id than `before`. */
  list(limit: number, before: number | undefined): Promise<readonly AuditEntry[]>;
  note(
    action: string,
    subject: string,
    detail: Readonly<Record<string, unknown>>,
    audit: AuditContext,
  ): Promise<void>;
}
