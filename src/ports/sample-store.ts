import type { QuotaBalance } from '../domain/accounts/quota.ts';
import type { C2Address } from '../domain/reports/c2-address.ts';
import type { FileEvidence } from '../domain/reports/confirmation.ts';
import type { Analysis } from '../domain/samples/analysis.ts';
import type { AnalysisReport, HeatTag } from '../domain/samples/analysis-report.ts';
import type { FileHash } from '../domain/samples/file-hash.ts';
import type { ReanalysisProgress } from '../domain/samples/reanalysis.ts';
import type { ChargedUnits } from './account-usage.ts';
import type { FileDigests } from './analyser.ts';
import type { AuditContext } from './audit-context.ts';
import type { Authority, Refusal } from './authority.ts';

/** Who pays for a call. */
interface Payer {
  readonly accountId: string;
  /** The token in the list of charges; none for a session that a sign-in link started. */
  readonly tokenId?: string | undefined;
}

export interface Lookup extends Payer {
  /** In the list of charges; `lookup` by default. */
  readonly operation?: 'lookup' | 'details';
  /** `undefined` if the caller's text is not a hash: the unit is spent all the same. */
  readonly hash: FileHash | undefined;
  readonly now: Date;
  /** The unit pays for the details; a large analysis is not read. */
  readonly isForDetails?: boolean;
}

export interface LookupAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  /** The serialized analysis, if it is small. */
  readonly body: string | undefined;
  /** An analysis to be read by `lookUpLarge` once memory is reserved: no unit was spent yet. */
  readonly large?: LargeAnalysis | undefined;
  /** There is no analysis yet, but the upload is queued for analysis or being analysed. */
  readonly pending: boolean;
}

export interface LargeLookup extends Payer {
  readonly operation?: Lookup['operation'];
  readonly key: LargeAnalysis['key'];
  readonly now: Date;
}

export interface LargeAnalysis {
  /** For `lookUpLarge` and `body`. */
  readonly key: number;
  readonly sizeBytes: number;
}

export interface BatchLookup extends Payer {
  /** `undefined` if the caller's text is not a hash: it costs a unit like the others. */
  readonly hashes: readonly (FileHash | undefined)[];
  readonly now: Date;
}

/** `bodies`, `large` and `pending` are in the order of the hashes, and empty if not served. */
export interface BatchAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  readonly bodies: readonly (string | undefined)[];
  readonly large: readonly (LargeAnalysis | undefined)[];
  readonly pending: readonly boolean[];
  /** The units spent, for `refund`. */
  readonly charge?: BatchCharge | undefined;
}

/** Units of one account that can be refunded. */
export interface BatchCharge {
  readonly id: string;
  readonly window: string;
  readonly day: string;
  readonly ofWindow: number;
  readonly ofExtra: number;
  readonly entries: readonly ChargedUnits[];
}

/** What files are compared by. */
export type SimilarityMeasure = 'ssdeep' | 'tlsh';

export interface SimilarQuery extends Payer {
  /** `ssdeep` by default. */
  readonly by?: SimilarityMeasure;
  /**
   * A file with an analysis, or the text of a digest of that kind. `undefined` if the caller's text
   * is neither: the unit is spent all the same.
   */
  readonly to: FileHash | string | undefined;
  /** At most 50 are returned. */
  readonly limit: number;
  readonly now: Date;
}

export interface SimilarAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  /** Best first, without the file itself. `undefined` if there is no analysis or no digest. */
  readonly found: readonly SimilarSample[] | undefined;
  /** As in a lookup. */
  readonly pending: boolean;
  /** The file has an analysis, but not the TLSH digest that the query asks for. */
  readonly lacksTlsh?: boolean;
}

export interface SimilarSample {
  readonly sha256: string;
  /** By ssdeep, 0 to 100; 0 if the files share nothing, or if one has no digest. */
  readonly score: number;
  /** By TLSH: 0 for equal digests. Absent if one of the files has no digest. */
  readonly distance?: number | undefined;
  readonly fileName: string;
  readonly tags: readonly HeatTag[];
}

/**
 * `conflict`: one of the hashes is already that of another file. `removed`: an operator removed the
 * file.
 */
export type StoreOutcome = 'added' | 'replaced' | 'unchanged' | 'conflict' | 'removed';

/** A file that was uploaded; its bytes are in `SampleFiles`, under its SHA-256. */
export interface Upload {
  readonly digests: FileDigests;
  readonly sizeBytes: number;
  readonly fileName: string;
  /** The id of the account. */
  readonly uploadedBy: string;
  readonly uploadedAt: Date;
}

export interface SubmittedUpload extends Upload {
  /**
   * The token of the call, which must be valid when the upload is committed; `undefined`: no check.
   */
  readonly tokenId?: string | undefined;
}

export type UploadState = 'queued' | 'running' | 'done' | 'failed';

export interface SampleStatus {
  readonly state: UploadState | 'unknown';
  /** Why the analysis failed. */
  readonly reason?: string | undefined;
}

export interface StoredUpload extends Upload {
  readonly state: UploadState;
  readonly reason: string | undefined;
}

/**
 * `queued`: the upload is new, and its job is pending. `known`: the file was uploaded before, or
 * has an imported analysis; nothing was started, even if the earlier analysis failed. `removed`: an
 * operator removed the file. `full`: the upload is new and would exceed the account's limit.
 * `refused`: the uploader's permission has ended. Nothing is stored for the last three.
 */
export interface SubmitOutcome {
  readonly outcome: 'queued' | 'known' | 'removed' | 'full' | 'refused';
  readonly status: SampleStatus;
  readonly refusal?: Refusal;
}

/** Uploads whose analysis has not ended, queued or running. */
export interface UnfinishedUploads {
  /** At most 10 000 are counted. */
  readonly count: number;
  /** Those whose analysis has begun, even if a further attempt is pending. At most `count`. */
  readonly running: number;
  readonly oldestUploadedAt: Date | undefined;
}

/** An upload whose last analysis failed. */
export interface FailedUpload {
  readonly sha256: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** The name of the account. */
  readonly uploadedBy: string;
  readonly uploadedAt: Date;
  readonly failedAt: Date;
  readonly reason: string;
  /** `undefined` if it is not recorded. */
  readonly attempts: number | undefined;
}

/** A position in the list of failed uploads. */
export interface FailedPosition {
  readonly failedAt: Date;
  readonly sha256: string;
}

export interface FailedPage {
  /** Only older ones are returned. */
  readonly after: FailedPosition | undefined;
  readonly limit: number;
}

export interface SampleStore {
  /** Spends one unit and finds the analysis, in one step. */
  lookUp(lookup: Lookup): Promise<LookupAnswer>;
  /** Spends one unit and reads a large analysis, in one step. No body if it was removed since. */
  lookUpLarge(lookup: LargeLookup): Promise<LookupAnswer>;
  /** Spends one unit for each hash and finds the analyses; with too few units it does neither. */
  lookUpMany(lookup: BatchLookup): Promise<BatchAnswer>;
  /** Refunds a batch that could not be answered. */
  refund(charge: BatchCharge): Promise<void>;
  /** Spends one unit and finds files with similar digests. */
  similar(query: SimilarQuery): Promise<SimilarAnswer>;
  /**
   * Stores analyses, and updates the reports of those files in the feeds. Rejects with a problem if
   * the given authority is no longer an administrator.
   */
  putAll(
    analyses: readonly AnalysisReport[],
    at: Date,
    authority?: Authority,
  ): Promise<readonly StoreOutcome[]>;
  /**
   * Stores upload and job (kind `analyse`, key the SHA-256) together. The same bytes again, even
   * concurrently, give one of each. Adds the size to the account's stored bytes, which may not
   * exceed `storedLimit`.
   */
  submit(upload: SubmittedUpload, storedLimit?: number): Promise<SubmitOutcome>;
  /** The total size of the files that the account uploaded first, without purged ones. */
  storedBytes(accountId: string): Promise<number>;
  unfinished(): Promise<UnfinishedUploads>;
  /** `unknown` if there is neither an upload nor an analysis. */
  status(hash: FileHash): Promise<SampleStatus>;
  /** An upload in any state. Imported analyses have none. */
  find(hash: FileHash): Promise<StoredUpload | undefined>;
  /**
   * Marks an upload as running. `undefined` if it was removed, or is done or failed already. One
   * that is analysed again stays done.
   */
  start(sha256: string): Promise<StoredUpload | undefined>;
  /**
   * Stores the analysis like `putAll`, with its details, and marks the upload as done. On `removed`
   * nothing is stored; on `conflict` neither, and the upload has failed.
   */
  finish(analysis: Analysis, at: Date): Promise<StoreOutcome>;
  /** Marks an upload as failed. If it is done, only its analysis again has failed. */
  fail(sha256: string, reason: string, at: Date, attempts?: number): Promise<void>;
  /** The uploads whose analysis failed, newest failure first. */
  failed(page: FailedPage): Promise<readonly FailedUpload[]>;
  /** At most 10 000 are counted. */
  countFailed(): Promise<number>;
  /**
   * Queues an upload that is done or has failed, with a new job. One that is done stays so, and
   * keeps its analysis until `finish`. `pending`: it is queued or running.
   */
  analyseAgain(sha256: string, audit: AuditContext): Promise<'queued' | 'absent' | 'pending'>;
  reanalysis(): Promise<ReanalysisProgress>;
  /** Starts a run over the files whose last analysis ended before that, unless one is running. */
  startReanalysis(before: Date, audit: AuditContext): Promise<'started' | 'running'>;
  stopReanalysis(audit: AuditContext): Promise<void>;
  /**
   * Queues the next files of the run behind all uploads. Returns the number of files seen; 0 if
   * enough are waiting, or none is left. Continues where it was interrupted.
   */
  queueReanalyses(at: Date): Promise<number>;
  /**
   * Calls the listener after another node has queued files to be analysed; a call may get lost.
   * Returns the unsubscribe function.
   */
  onQueued(listener: () => void): () => void;
  /** A large analysis, by the key of a lookup. `undefined` if it was removed since. */
  body(key: LargeAnalysis['key']): Promise<string | undefined>;
  /** What the analysis of a file says about a report of that C2; `undefined` without one. */
  evidence(sha256: string, c2: C2Address): Promise<FileEvidence | undefined>;
  /** The size of the details, without reading them. */
  detailsSize(hash: FileHash): Promise<number | undefined>;
  /** The details of an analysis made here, as JSON text. */
  details(hash: FileHash): Promise<string | undefined>;
  /**
   * Writes the index of similar files for analyses that lack it, at most `limit`. Returns the
   * number processed; 0: none is left. Continues where it was interrupted.
   */
  indexSimilar(limit: number): Promise<number>;
  /** Deletes analysis, details, upload and job, but not the bytes. Leaves a tombstone. */
  purge(sha256: string, reason: string, audit: AuditContext): Promise<'deleted' | 'absent'>;
}
