import type { QuotaBalance } from '../domain/accounts/quota.ts';
import type { Analysis } from '../domain/samples/analysis.ts';
import type { AnalysisReport, HeatTag } from '../domain/samples/analysis-report.ts';
import type { FileHash } from '../domain/samples/file-hash.ts';
import type { FileDigests } from './analyser.ts';
import type { AuditContext } from './audit-context.ts';
import type { Authority, Refusal } from './authority.ts';

export interface Lookup {
  readonly accountId: string;
  /** `undefined` where the caller's text is no hash: the unit is taken all the same. */
  readonly hash: FileHash | undefined;
  readonly now: Date;
  /** The unit is for something else than the report, which is not read. */
  readonly isForDetails?: boolean;
}

export interface LookupAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  /** The report as it goes over the wire, where it is small. */
  readonly body: string | undefined;
  /** A report that is to be read by `lookUpLarge`, when there is memory for it: no unit was taken yet. */
  readonly large?: LargeReport | undefined;
  /** There is no report yet, but the file was uploaded and waits for its analysis or is in it. */
  readonly pending: boolean;
}

export interface LargeLookup {
  readonly accountId: string;
  readonly key: LargeReport['key'];
  readonly now: Date;
}

export interface LargeReport {
  /** For `lookUpLarge` and `body`. */
  readonly key: number;
  readonly sizeBytes: number;
}

export interface BatchLookup {
  readonly accountId: string;
  /** `undefined` where the caller's text is no hash: it costs its unit like the others. */
  readonly hashes: readonly (FileHash | undefined)[];
  readonly now: Date;
}

/** `bodies`, `large` and `pending` are in the order of the hashes, and empty where it was not served. */
export interface BatchAnswer {
  readonly served: boolean;
  readonly quota: QuotaBalance;
  readonly bodies: readonly (string | undefined)[];
  readonly large: readonly (LargeReport | undefined)[];
  readonly pending: readonly boolean[];
  /** What was taken, for `refund`. */
  readonly charge?: BatchCharge | undefined;
}

/** Units of one account that can be given back. */
export interface BatchCharge {
  readonly id: string;
  readonly window: string;
  readonly ofWindow: number;
  readonly ofExtra: number;
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

/** With the token of the call, which must still be good when the sample is committed. None is checked without it. */
export interface SubmittedUpload extends NewSample {
  readonly tokenId?: string | undefined;
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
 * started, not even where it failed. `removed`: an operator removed the file, and nothing was kept. `full`: it is new,
 * and with it the account would have stored more than the limit; nothing was kept. `refused`: the permission of its
 * uploader ended meanwhile, and nothing was written.
 */
export interface Submitted {
  readonly outcome: 'queued' | 'known' | 'removed' | 'full' | 'refused';
  readonly status: SampleStatus;
  readonly refusal?: Refusal;
}

/** Uploads whose analysis has not ended, queued or running. */
export interface UnfinishedUploads {
  /** At most 10 000 are counted. */
  readonly count: number;
  readonly oldestUploadedAt: Date | undefined;
}

export interface SampleStore {
  /** Takes one unit and finds the report, in one step. */
  lookUp(lookup: Lookup): Promise<LookupAnswer>;
  /** Takes one unit and reads a large report, in one step. It has no body where the report was removed since. */
  lookUpLarge(lookup: LargeLookup): Promise<LookupAnswer>;
  /** Takes one unit for each hash and finds the reports; where there are too few, it takes none and finds nothing. */
  lookUpMany(lookup: BatchLookup): Promise<BatchAnswer>;
  /** Gives back what a batch took that could not be answered. */
  refund(charge: BatchCharge): Promise<void>;
  /** Takes one unit and finds files whose fuzzy hashes are alike. */
  similar(query: SimilarQuery): Promise<SimilarAnswer>;
  /**
   * Stores finished reports, and gives the reports of those files in the feeds their new names. Where an authority is named
   * that is no administrator any more, it rejects with the problem that says so.
   */
  putAll(
    reports: readonly AnalysisReport[],
    at: Date,
    authority?: Authority,
  ): Promise<readonly Stored[]>;
  /**
   * Sample and job (kind `analyse`, key the SHA-256) together; the same bytes again are one of each, also at once. Its
   * size is added to what the account has stored, which may be `storedLimit` bytes at most.
   */
  submit(upload: SubmittedUpload, storedLimit?: number): Promise<Submitted>;
  /** The sizes of the samples that the account was the first to upload, without those that were purged. */
  storedBytes(accountId: string): Promise<number>;
  unfinished(): Promise<UnfinishedUploads>;
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
  /** A large report, by what a lookup said of it. `undefined` where it was removed since. */
  body(key: LargeReport['key']): Promise<string | undefined>;
  /** The size of what `details` gives, which is not read for it. */
  detailsSize(hash: FileHash): Promise<number | undefined>;
  /** The details of our own analysis, as JSON text. */
  details(hash: FileHash): Promise<string | undefined>;
  /**
   * Brings reports that were stored before there was an index of similar files into it, so many at most, and tells
   * how many it looked at: none are left when it was 0. It goes on where it was interrupted.
   */
  indexSimilar(limit: number): Promise<number>;
  /** Removes everything there is of it but the bytes: report, details, sample, job. A tombstone stays. */
  purge(sha256: string, reason: string, audit: AuditContext): Promise<'deleted' | 'absent'>;
}
