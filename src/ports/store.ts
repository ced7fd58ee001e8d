import type { Analysis } from '../domain/analysis.ts';
import type { AnalysisReport, HeatTag } from '../domain/analysis-report.ts';
import type { C2Address } from '../domain/c2-address.ts';
import type { Credential, Role } from '../domain/caller.ts';
import type { Change } from '../domain/change.ts';
import type { StatusChange } from '../domain/desk.ts';
import type { ReportFilter } from '../domain/feed-filter.ts';
import type { FileHash } from '../domain/file-hash.ts';
import type { QuotaBalance, QuotaPolicy } from '../domain/quota.ts';
import type { Report } from '../domain/report.ts';
import type { SearchMatch, Sought } from '../domain/search-query.ts';
import type { Service } from '../domain/service.ts';
import type { EventType, WebhookEvent, WebhookFormat } from '../domain/webhook.ts';
import type { AttemptOutcome } from '../domain/webhook-retries.ts';
import type { FileDigests } from './analyser.ts';

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
  /** Rejects where the storage does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How reports are kept ready to be sent. The wire form is the business of the edge; the store only keeps the
 * text, and renews it with every change.
 */
export interface ReadyForms {
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

/** By whom and when something administrative was done; written to the audit log with it. */
export interface Act {
  readonly actor: string;
  readonly at: Date;
}

export interface ServiceStore {
  add(service: Service, act: Act): Promise<'added' | 'exists'>;
  change(
    slug: string,
    changes: ServiceChanges,
    act: Act,
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
    act: Act,
  ): Promise<Account | 'exists' | 'unknown-service'>;
  /** Makes the account unless the store has one already: what the first start does, once. */
  addFirst(account: NewAccount, token: NewToken, act: Act): Promise<boolean>;
  change(
    id: string,
    changes: AccountChanges,
    act: Act,
  ): Promise<Account | 'absent' | 'unknown-service'>;
  find(idOrName: string, now: Date): Promise<Account | undefined>;
  list(now: Date): Promise<readonly Account[]>;
}

export interface NewToken {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly hint: string;
  readonly label: string;
  readonly expiresAt: Date | undefined;
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
}

export interface TokenStore {
  issue(accountId: string, token: NewToken, act: Act): Promise<Token | 'unknown-account'>;
  /** Revokes it where it is of that account, or of any when none is given. Again is no error. */
  revoke(id: string, ofAccount: string | undefined, act: Act): Promise<Token | 'absent'>;
  list(accountId: string): Promise<readonly Token[]>;
  /** Notes when tokens were last used; by id. */
  touch(uses: ReadonlyMap<string, Date>): Promise<void>;
}

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
  | { readonly kind: 'unknown-service' };

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
  /** Deletes it from that feed where the feed is owned by, or the report was made by, that account. */
  delete(
    service: string,
    by: { readonly accountId: string; readonly ownsFeed: boolean },
    deletion: Deletion,
  ): Promise<'deleted' | 'absent' | 'forbidden'>;
  /** Deletes it from whichever feed it is in: what the law or a mistake demands. */
  purge(deletion: Deletion, act: Act): Promise<'deleted' | 'absent'>;
  /** Forgets retry keys older than that. */
  forgetRetryKeys(before: Date): Promise<void>;
}

/** Which feeds are read: one, or (`undefined`) every one there is. */
export type FeedScope = string | undefined;

/** Where a reader stands in each feed, by slug: the last number it has. A feed that is not named: before its first. */
export type Positions = ReadonlyMap<string, number>;

export interface ListQuery {
  readonly scope: FeedScope;
  readonly filter: ReportFilter;
  /** By creation: `desc` is newest first. */
  readonly order: 'asc' | 'desc';
  /** `next` of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface ListPage {
  /**
   * At most as many as were asked for. Fewer, even none, may come although there are more: where several filters
   * leave little of much, a page ends when enough was looked at.
   */
  readonly reports: readonly Report[];
  /**
   * Where the next page goes on, `undefined` where there is none: short printable text that means something to the
   * store alone, and holds whatever is deleted meanwhile.
   */
  readonly next: string | undefined;
}

export interface ChangesQuery {
  readonly scope: FeedScope;
  readonly since: Positions;
  readonly limit: number;
}

export interface ChangesPage {
  /** In each feed by number and without a gap; over all feeds in the order of time. */
  readonly changes: readonly Change[];
  /** Where the reader stands after these, in every feed of the scope. */
  readonly next: Positions;
  /** The last number of every feed of the scope. */
  readonly heads: Positions;
  readonly hasMore: boolean;
}

/**
 * `too-old`: changes that followed were dropped meanwhile; the reader must begin anew, by listing. `ahead`: that
 * number was never given.
 */
export type ChangesOutcome = ChangesPage | 'too-old' | 'ahead' | 'unknown-service';

export interface StatusTarget {
  readonly service: string;
  /** These, or all that fit the filter. */
  readonly ids?: readonly string[] | undefined;
  readonly filter?: ReportFilter | undefined;
  /** `next` of the call before, with the same filter. */
  readonly after?: string | undefined;
  /** At most so many in one unit; whoever wants more calls again while there is a `next`. */
  readonly limit: number;
}

/** What the desk answers, and whether the caller owns the feed: that is part of the statement that changes it. */
export interface DeskAct extends StatusChange {
  readonly accountId: string;
  readonly at: Date;
}

export interface StatusOutcome {
  /** Those that were not so already, each with a number and an event of its own. */
  readonly changed: number;
  /** Ids that stand in no report of this feed. */
  readonly absent: readonly string[];
  /** Where to go on where the limit ended it before everything that fits the filter was changed. */
  readonly next: string | undefined;
}

export interface FeedStore {
  list(query: ListQuery): Promise<ListPage>;
  /** How many fit. Costs as much as there are. */
  count(scope: FeedScope, filter: ReportFilter): Promise<number>;
  changes(query: ChangesQuery): Promise<ChangesOutcome>;
  /** The last number of every feed of the scope. */
  heads(scope: FeedScope): Promise<Positions>;
  /** Many at once, in order and in one unit; each as `ReportStore.create` would. */
  createMany(reports: readonly NewReport[]): Promise<readonly Created[]>;
  /** Each report that changes takes a number and is an event. `forbidden` where the account does not own the feed. */
  setStatus(target: StatusTarget, act: DeskAct): Promise<StatusOutcome | 'forbidden'>;
  /**
   * Lets reports expire whose time has come, and renews those whose C2 was seen again meanwhile. Returns how many
   * it looked at; 0: nothing is due.
   */
  expire(now: Date, limit: number): Promise<number>;
  /** Forgets changes and tombstones older than that. Returns how many it removed, at most `limit`. */
  forgetChanges(before: Date, limit: number): Promise<number>;
  /** A secret of this installation, made once: what signs cursors and tickets. */
  secret(): Promise<Uint8Array>;
  /**
   * Calls the listener after every commit of this process that appended changes, once for each feed that has new
   * ones. What other processes commit is not heard here. Returns how to stop it.
   */
  onChange(listener: (service: string) => void): () => void;
}

export interface Webhook {
  readonly id: string;
  readonly service: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly disabledAt: Date | undefined;
  readonly disabledReason: string | undefined;
  /** Since when every delivery fails; `undefined` after one that succeeds. */
  readonly failingSince: Date | undefined;
}

export interface Delivery {
  /** Also the `webhook-id`: the same over all attempts. */
  readonly id: string;
  readonly webhookId: string;
  readonly event: EventType;
  /** 0 for a test. */
  readonly sequence: number;
  /** `undefined` for a test. */
  readonly reportId: string | undefined;
  readonly state: 'waiting' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly dueAt: Date;
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

/** A webhook of a feed. */
export interface WebhookPlace {
  readonly service: string;
  readonly id: string;
}

export interface DeliveryPage {
  readonly limit: number;
  /** Only those that came before this one. */
  readonly before: string | undefined;
  readonly state: Delivery['state'] | undefined;
}

export interface WebhookStore {
  add(
    webhook: Webhook,
    secret: Uint8Array,
    act: Act,
  ): Promise<'added' | 'too-many' | 'unknown-service'>;
  list(service: string): Promise<readonly Webhook[]>;
  find(place: WebhookPlace): Promise<Webhook | undefined>;
  /** Whatever waits for it is gone with it. */
  remove(place: WebhookPlace, act: Act): Promise<'removed' | 'absent'>;
  /** The new secret signs beside the old ones, which stay valid until then at most. */
  rotate(
    place: WebhookPlace,
    secret: Uint8Array,
    oldUntil: Date,
    act: Act,
  ): Promise<Webhook | 'absent'>;
  /** It is told of changes again, from now on; what still waited for it is sent. */
  enable(place: WebhookPlace, act: Act): Promise<Webhook | 'absent'>;
  /** Puts a delivery of its own into the queue, to try the endpoint. */
  test(place: WebhookPlace, deliveryId: string, at: Date): Promise<Queued>;
  /** Newest first. */
  deliveries(place: WebhookPlace, page: DeliveryPage): Promise<readonly Delivery[] | 'absent'>;
  /** Sends it again, with the same id and all attempts before it. */
  replay(place: WebhookPlace, deliveryId: string, at: Date): Promise<Queued | 'absent-delivery'>;
  /**
   * Deliveries that are due, leased until then; of one endpoint at most `perWebhook` at a time, so that a slow one
   * holds up no other. Deliveries are made in the transaction of the change that they tell of.
   */
  claim(wish: DeliveryWish): Promise<readonly ClaimedDelivery[]>;
  /** What became of an attempt. `false` where the lease was lost: then nothing is changed. */
  settle(claimed: ClaimedDelivery, outcome: AttemptOutcome): Promise<boolean>;
  /** Forgets deliveries that are over, and what is left of removed webhooks. Returns how many; 0: nothing is left. */
  forgetDeliveries(over: DeliveriesOver): Promise<number>;
}

export type Queued = 'queued' | 'absent' | 'disabled';

export interface DeliveryWish {
  readonly limit: number;
  readonly perWebhook: number;
  readonly leaseMs: number;
  readonly now: Date;
}

export interface ClaimedDelivery extends Delivery {
  /** Of this claim: another claim of the same delivery has another. */
  readonly lease: number;
  readonly webhook: Webhook;
  /** Sealed; those that are valid now, the newest first. */
  readonly secrets: readonly Uint8Array[];
  /** The change it tells of; its report as it stands now. `undefined` for a test. */
  readonly change: Change | undefined;
}

export interface DeliveriesOver {
  readonly deliveredBefore: Date;
  /** Dead letters, and what waits for a webhook that was disabled before that. */
  readonly deadBefore: Date;
  readonly limit: number;
}

export interface SearchQuery {
  readonly sought: Sought;
  readonly limit: number;
}

/** What was found; reports and samples are told apart, each with why it fits. */
export type SearchHit =
  | { readonly kind: 'report'; readonly match: SearchMatch; readonly report: Report }
  | {
      readonly kind: 'sample';
      readonly match: SearchMatch;
      readonly sha256: string;
      readonly fileName: string;
      /** The hottest, at most five. */
      readonly tags: readonly HeatTag[];
    };

export interface SearchStore {
  /**
   * Over all feeds and all samples: a file that has the very hash, then exact matches, then partial ones, each newest
   * first. However much there is, the work is bounded; of what fits only in part some may then be left out.
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /**
   * Brings reports and samples that were stored before there was a search into it, so many of each at most, and tells
   * how many it looked at: none are left when it was 0. It goes on where it was interrupted.
   */
  indexOld(limit: number): Promise<number>;
}

export interface Lookup {
  readonly accountId: string;
  /** `undefined` where the caller's text is no hash: the unit is taken all the same. */
  readonly hash: FileHash | undefined;
  readonly now: Date;
}

export interface LookupAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  /** The report as it goes over the wire. */
  readonly body: string | undefined;
  /** There is no report yet, but the file was uploaded and waits for its analysis or is in it. */
  readonly pending: boolean;
}

export interface BatchLookup {
  readonly accountId: string;
  /** `undefined` where the caller's text is no hash: it costs its unit like the others. */
  readonly hashes: readonly (FileHash | undefined)[];
  readonly now: Date;
}

/** `bodies` and `pending` are in the order of the hashes, and empty where it was not served. */
export interface BatchAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  readonly bodies: readonly (string | undefined)[];
  readonly pending: readonly boolean[];
}

export interface SimilarQuery {
  readonly accountId: string;
  /**
   * A file that has a report, or the text of a fuzzy hash. `undefined` where the caller's text is neither: the unit
   * is taken all the same.
   */
  readonly to: FileHash | string | undefined;
  /** At most 50 are given, whatever is asked. */
  readonly limit: number;
  readonly now: Date;
}

export interface SimilarAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  /** Best first, without the file itself. `undefined` where there is no report of it, or no fuzzy hash in the text. */
  readonly found: readonly SimilarSample[] | undefined;
  /** As in a lookup. */
  readonly pending: boolean;
}

export interface SimilarSample {
  readonly sha256: string;
  /** 1 to 100. */
  readonly score: number;
  readonly fileName: string;
  readonly tags: readonly HeatTag[];
}

/** `conflict`: one of the hashes is already that of another file. `removed`: an operator removed the file. */
export type Stored = 'added' | 'replaced' | 'unchanged' | 'conflict' | 'removed';

/** A file that was uploaded; its bytes are kept elsewhere, under its SHA-256. */
export interface NewSample {
  readonly digests: FileDigests;
  readonly sizeBytes: number;
  readonly fileName: string;
  /** The id of the account. */
  readonly uploadedBy: string;
  readonly uploadedAt: Date;
}

export type SampleState = 'queued' | 'running' | 'done' | 'failed';

export interface SampleStatus {
  readonly state: SampleState | 'unknown';
  /** Why it failed. */
  readonly reason?: string | undefined;
}

export interface UploadedSample extends NewSample {
  readonly state: SampleState;
  readonly reason: string | undefined;
}

/**
 * `queued`: it is new, and its job waits. `known`: it was uploaded before, or has a report by import; nothing was
 * started, not even where it failed. `removed`: an operator removed the file, and nothing was kept.
 */
export interface Submitted {
  readonly outcome: 'queued' | 'known' | 'removed';
  readonly status: SampleStatus;
}

export interface SampleStore {
  /** Takes one unit and finds the report, in one step. */
  lookUp(lookup: Lookup): Promise<LookupAnswer>;
  /** Takes one unit for each hash and finds the reports; where there are too few, it takes none and finds nothing. */
  lookUpMany(lookup: BatchLookup): Promise<BatchAnswer>;
  /** Takes one unit and finds files whose fuzzy hashes are alike. */
  similar(query: SimilarQuery): Promise<SimilarAnswer>;
  /** Stores finished reports, and gives the reports of those files in the feeds their new names. */
  putAll(reports: readonly AnalysisReport[], at: Date): Promise<readonly Stored[]>;
  /** Sample and job (kind `analyse`, key the SHA-256) together; the same bytes again are one of each, also at once. */
  submit(upload: NewSample): Promise<Submitted>;
  /** `unknown` where there is neither a sample nor a report. */
  status(hash: FileHash): Promise<SampleStatus>;
  /** What was uploaded, whatever its state. A report by import alone is not found here. */
  find(hash: FileHash): Promise<UploadedSample | undefined>;
  /** Marks it as running. `undefined` where it is gone, or done or failed already: there is nothing to do. */
  start(sha256: string): Promise<UploadedSample | undefined>;
  /**
   * Stores the report as `putAll` does, with its details; the sample is done. On `removed` nothing is stored; on
   * `conflict` neither, and the sample has failed.
   */
  finish(analysis: Analysis, at: Date): Promise<Stored>;
  /** There will be no report. One that is done stays so. */
  fail(sha256: string, reason: string, at: Date): Promise<void>;
  /** The details of our own analysis, as JSON text. */
  details(hash: FileHash): Promise<string | undefined>;
  /**
   * Brings reports that were stored before there was an index of similar files into it, so many at most, and tells
   * how many it looked at: none are left when it was 0. It goes on where it was interrupted.
   */
  indexSimilar(limit: number): Promise<number>;
  /** Removes everything there is of it but the bytes: report, details, sample, job. A tombstone stays. */
  purge(sha256: string, reason: string, act: Act): Promise<'deleted' | 'absent'>;
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
    act: Act,
  ): Promise<void>;
}
