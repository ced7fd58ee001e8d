import type { CreateRate } from '../domain/accounts/account-limits.ts';
import type { Credential, Role } from '../domain/accounts/caller.ts';
import type { QuotaBalance, QuotaPolicy } from '../domain/accounts/quota.ts';
import type { BoundedExpiry } from '../domain/accounts/token-expiry.ts';
import type { TokenIssuer, TokenOrigin } from '../domain/accounts/token-origin.ts';
import type { Report } from '../domain/reports/report.ts';
import type { AnalysisReport } from '../domain/samples/analysis-report.ts';
import type { Service } from '../domain/services/service.ts';
import type { AccountUsage, UsageRequest } from './account-usage.ts';
import type { AuditContext, AuditStore } from './audit-context.ts';
import type { Authority, Refusal } from './authority.ts';
import type { ClockStore } from './clock.ts';
import type { Examination } from './examination.ts';
import type { FeedStore } from './feed-store.ts';
import type { MailStore } from './mail-store.ts';
import type { MispStore } from './misp-store.ts';
import type { OwnershipStore } from './ownership-store.ts';
import type { PendingWork, PendingWorkRequest } from './pending-work.ts';
import type { ProposalStore } from './proposal-store.ts';
import type { PublishedVersions } from './published-versions.ts';
import type { ReportStore } from './report-store.ts';
import type { SampleStore } from './sample-store.ts';
import type { SearchStore } from './search-store.ts';
import type { ServiceStore } from './service-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SubmissionStore } from './submission-store.ts';
import type { TrustStore } from './trust-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/**
 * All durable state. Each method is atomic, and durable before its promise settles. If the storage
 * cannot be reached, it rejects with the problem `unavailable`.
 */
export interface Store {
  readonly access: AccessStore;
  readonly services: ServiceStore;
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly reports: ReportStore;
  readonly feeds: FeedStore;
  readonly misp: MispStore;
  readonly published: PublishedVersions;
  readonly webhooks: WebhookStore;
  readonly submissions: SubmissionStore;
  readonly trust: TrustStore;
  readonly mail: MailStore;
  readonly ownership: OwnershipStore;
  readonly search: SearchStore;
  readonly samples: SampleStore;
  readonly proposals: ProposalStore;
  readonly audit: AuditStore;
  readonly clock: ClockStore;
  readonly examination: Examination;
  /** Which background work is due. One cheap read, for all processes of a cluster to repeat. */
  pendingWork(request: PendingWorkRequest): Promise<PendingWork>;
  /** Rejects if the storage does not respond. */
  check(): Promise<void>;
  /**
   * Calls the listener, with the reason, when the store no longer admits this process. From then on
   * every method rejects with the problem `not_admitted`.
   */
  onRefused(listener: (reason: string) => void): void;
  /**
   * Rejects if the last write failed because of the disk and a new one fails too. Writes nothing
   * while writes succeed.
   */
  checkWrite(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Turns reports and analyses into the text that is sent. The HTTP layer defines it; the store keeps
 * the text, and writes it again with every change.
 */
export interface Serializers {
  /** A JSON object. Lists add members at its end, so it must end with a single brace. */
  report(report: Report): string;
  analysis(report: AnalysisReport): string;
  /**
   * The members of a stored analysis that the indexes need, `undefined` if it cannot be parsed.
   * Without this function, analyses stored before the indexes existed are not indexed.
   */
  readAnalysis?(body: string): IndexedAnalysis | undefined;
}

/** The members of an analysis that similarity and search use and show. */
export type IndexedAnalysis = Pick<AnalysisReport, 'ssdeep' | 'fileName' | 'tags' | 'md5' | 'sha1'>;

/** The reads of every request. Answers may be cached, but not beyond a change of the store. */
export interface AccessStore {
  findCredential(digest: Uint8Array): Promise<Credential | undefined>;
  findService(slug: string): Promise<Service | undefined>;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly services: readonly string[];
  readonly quota: QuotaBalance;
  /** `undefined`: that of the server. */
  readonly createRate: CreateRate | undefined;
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
  readonly createRate?: CreateRate | undefined;
  readonly expiresAt: Date | undefined;
}

/** `undefined` members stay as they are; `null` removes the expiry, or the rate of creates. */
export interface AccountChanges {
  readonly roles?: readonly Role[] | undefined;
  readonly services?: readonly string[] | undefined;
  readonly quota?:
    | { readonly [Part in keyof QuotaPolicy]?: QuotaPolicy[Part] | undefined }
    | undefined;
  /** Adds units that never expire. */
  readonly topUp?: number | undefined;
  readonly disabled?: boolean | undefined;
  readonly createRate?: CreateRate | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** The name of the account whose name is the same, or looks the same. */
export interface NameTaken {
  readonly takenBy: string;
}

/** `needs-role`: the feed `unclaimed` is owned by accounts with certain roles alone. */
export type OwnershipRefusal = 'unknown-service' | 'needs-role';

/** Administrators cannot end their own administration; others might not be left. */
export type Lockout = 'own-account' | 'last-administrator';

export interface AccountStore {
  /** The account and its first token together. */
  add(
    account: NewAccount,
    token: NewToken,
    audit: AuditContext,
  ): Promise<Account | NameTaken | OwnershipRefusal>;
  /**
   * Sets the keys by which names are compared, of at most `limit` accounts that are older than
   * them. Returns the number of accounts; 0 if none is left.
   */
  keyNames(limit: number): Promise<number>;
  /** Creates the account unless the store has any: the first start does this once. */
  addFirst(account: NewAccount, token: NewToken, audit: AuditContext): Promise<boolean>;
  /**
   * `by`: the administrator, who is checked again and cannot give up the role; absent on the
   * command line. Ends sessions and links of an account that is or was out of use.
   */
  change(
    id: string,
    changes: AccountChanges,
    audit: AuditContext,
    by?: Authority,
  ): Promise<Account | 'absent' | OwnershipRefusal | Lockout | { readonly refusal: Refusal }>;
  /** Whether an account administers, besides that one. */
  hasAdministrator(now: Date, besides?: string): Promise<boolean>;
  find(idOrName: string, now: Date): Promise<Account | undefined>;
  /** By name. */
  list(page: AccountPage, now: Date): Promise<readonly Account[]>;
  /** The units charged on each day and a page of what they were charged for, at one moment. */
  usage(id: string, request: UsageRequest): Promise<AccountUsage>;
  /**
   * Deletes some units and charges of days before that one (`2026-01-31`). Returns 0 if none was
   * left.
   */
  deleteOldDays(before: string, limit: number): Promise<number>;
}

export interface AccountPage {
  /** Only names after this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface NewToken {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly hint: string;
  readonly label: string;
  readonly expiresAt: Date | undefined;
  /** Absent if an operator issues it on the command line. */
  readonly issuer?: TokenIssuer | undefined;
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
  readonly origin: TokenOrigin;
}

export interface TokenPage {
  readonly limit: number;
  /** The id of the last token of the previous page. */
  readonly after: string | undefined;
}

export interface IssueOptions {
  /**
   * The issuing token or session is checked again. The token, or that of the session, bounds the
   * expiry.
   */
  readonly issuer?: Authority | undefined;
  /** The limit on valid tokens of the account, this one included. */
  readonly maxLive?: number | undefined;
}

export type IssuedToken =
  | Token
  | 'unknown-account'
  | 'too-many'
  | { readonly refusal: Refusal }
  | Extract<BoundedExpiry, { readonly outlives: string }>;

export interface TokenStore {
  /** `too-many` if the account has `maxLive` tokens that are neither revoked nor expired. */
  issue(
    accountId: string,
    token: NewToken,
    audit: AuditContext,
    options?: IssueOptions,
  ): Promise<IssuedToken>;
  /**
   * Revokes a token of that account, or of any if none is given. Revoking again is no error.
   * `issued`: also revokes the tokens of the account that were issued with it, transitively.
   */
  revoke(
    id: string,
    ofAccount: string | undefined,
    audit: AuditContext,
    options?: { readonly issued?: boolean | undefined },
  ): Promise<Token | 'absent'>;
  find(id: string): Promise<Token | undefined>;
  /** In the order in which they were issued. */
  list(accountId: string, page: TokenPage): Promise<readonly Token[]>;
  /** Records when tokens were last used, by id. */
  touch(uses: ReadonlyMap<string, Date>): Promise<void>;
}
