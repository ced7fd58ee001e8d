import type { KnownLists } from '../domain/lists/known-lists.ts';
import type { ReportStatus } from '../domain/reports/desk.ts';
import type { ExportedReport } from '../domain/reports/exported-report.ts';
import type { DeclaredHosts } from '../domain/services/service.ts';

/** A service whose reports are in an export. */
export interface ExportedService {
  readonly slug: string;
  readonly name: string;
  readonly confidenceScale: number;
  /** Names and patterns (`*.ply.example`) of the service itself. */
  readonly hosts: readonly string[];
  /** Its networks in CIDR notation. */
  readonly networks: readonly string[];
  /** In ISO 8601 and UTC, with milliseconds, like `changedAt`. */
  readonly createdAt: string;
}

/**
 * All that an export depends on besides its reports. The same context and reports give the same
 * bytes on every node, so that the `ETag` can be computed without building the export: nothing may
 * depend on the current time.
 */
export interface ExportContext {
  /** The slug of the feed, or `all`. */
  readonly feed: string;
  /** By slug: the service of the feed, or all of them. */
  readonly services: ReadonlyMap<string, ExportedService>;
  /** The number of changes in these feeds so far, which only grows. */
  readonly serial: number;
  /** When the last of them was committed; the creation of the feed if there is none. */
  readonly changedAt: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The mail address for questions about reports, if one is configured. */
  readonly contact?: string | undefined;
  /** A UUID of this installation, from which ids of objects are derived. */
  readonly namespace: string;
  /** What is known of hosts and files; some of them are no indicators. */
  readonly lists: KnownLists;
  /** What all services declare as their own, including those without a report in this export. */
  readonly declared: DeclaredHosts;
  /** The first number of Suricata rules. */
  readonly firstRuleNumber: number;
  /** The status that the request asked for, if any. */
  readonly status?: ReportStatus | undefined;
  /** The options of the format that the request set, validated. */
  readonly options: Readonly<Record<string, string>>;
}

export type ExportOrder = 'creation' | 'address' | 'file';

/** Writes one export. Its methods are called in this order, `report` once for each report. */
export interface ExportWriter {
  start(): string;
  /** The text of a report; empty if it is left out. */
  report(report: ExportedReport): string;
  /**
   * Ends the export visibly. `digest` is the SHA-256 of everything before, in hexadecimal: of what
   * the other methods returned, and of `rest`, which `end` returns before the mark.
   */
  end(digest: (rest?: string) => string): string;
}

/** How an export is read and saved. */
export interface ExportFile {
  readonly mediaType: string;
  /** The extension of the file in which it is saved, without a dot. */
  readonly extension: string;
  /** `address` sorts by host, port and number; `file` by SHA-256 and number. */
  readonly order: ExportOrder;
}

type ExportOptions = ExportContext['options'];

export interface Exporter extends ExportFile {
  /** The last segment of its path. */
  readonly format: string;
  /** Raised whenever the same context and reports give other bytes than before; 1 if absent. */
  readonly version?: number;
  /** Names and permitted values of its options; the first value is the default. */
  readonly options?: Readonly<Record<string, readonly [string, ...string[]]>>;
  /**
   * The members of reports that its writer uses; all if absent. Reading few of them is several
   * times as fast, and the others are not set.
   */
  readonly fields?: readonly (keyof ExportedReport)[] | undefined;
  /** Set if it has the expired reports too, unless the filter names a status. */
  readonly hasExpired?: true;
  /** `false` if its end has no digest: then none is computed. */
  readonly hasDigest?: false;
  /** What these options change about the file. */
  variant?(options: ExportOptions): Partial<ExportFile>;
  /**
   * The files of an archive (tar.gz) by their names, if these options ask for one. All are written
   * from the same context and snapshot, and the archive gets a file SHA256SUMS of them. `open` is
   * called for the files, not for this exporter.
   */
  archive?(options: ExportOptions): Readonly<Record<string, Exporter>> | undefined;
  open(context: ExportContext): ExportWriter;
}
