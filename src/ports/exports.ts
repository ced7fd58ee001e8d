import type { ReportFilter } from '../domain/reports/feed-filter.ts';
import type { FeedScope } from './feed-store.ts';

export interface ExportRequest {
  readonly format: string;
  readonly scope: FeedScope;
  readonly filter: ReportFilter;
  /** All options of the format, validated. */
  readonly options: Readonly<Record<string, string>>;
}

/** Which bytes an export has. */
export interface ExportVersion {
  /** The same for the same bytes, on every node and after a restart. */
  readonly tag: string;
  /** When the feeds last changed; in ISO 8601 and UTC. */
  readonly changedAt: string;
}

export interface ExportReader {
  /** A build of an account that has none running goes first. */
  readonly accountId: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** The bytes from `start` up to, but not including, `end`. */
export interface ExportRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenExport extends ExportVersion {
  /**
   * The bytes, while they are written and afterwards. Throws if the export cannot be completed.
   * `unsentBytes` returns how many bytes of the pieces so far are still used. The memory of older
   * ones is used again: otherwise a long file would leave as much garbage. A `range` is only
   * allowed if the size is known.
   */
  bytes(unsentBytes?: () => number, range?: ExportRange): AsyncIterable<Buffer>;
  /** The number of bytes; `undefined` while they are written. */
  size(): number | undefined;
  /** Must be called in the end: a build without readers is cancelled. May be called again. */
  close(): void;
}

/** Files that are built from one moment of the feeds, once for all who read them. */
export interface Exports {
  /** The version of an export that would be opened now. Builds nothing. */
  version(request: ExportRequest): Promise<ExportVersion>;
  /**
   * Joins an export of the current version, or begins to build it. Throws `exports_busy` if too
   * many others are waiting.
   */
  open(request: ExportRequest, reader: ExportReader): Promise<OpenExport>;
}
