import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { asciiLine, hostKind, isPort } from './characters.ts';
import type { ExportContext, Exporter, ExportWriter } from './exporter.ts';
import { ProtectedHosts, type Protection } from './protected-hosts.ts';

/**
 * Why a report has no entry in a block list: its status, a C2 that the desk has rejected, a
 * protected host, or a value that the format cannot express.
 */
export type Omission =
  | Protection
  | 'rejected'
  | 'c2-rejected'
  | 'expired'
  | 'actioned'
  | 'address'
  | 'name'
  | 'too-long'
  | 'unwritable';

/** The members of a report that decide. Exporters of block lists must read them. */
export const LISTED_FIELDS = ['c2', 'status', 'rejectionSequence'] as const;

type ListedReport = Pick<ExportedReport, (typeof LISTED_FIELDS)[number]>;

/** What an entry blocks: a host with a port, or a host with all its ports and subdomains. */
export type BlockScope = 'endpoint' | 'host';

/** Decides which C2 a block list contains. */
export class BlockList {
  readonly #context: Pick<ExportContext, 'status'>;
  readonly #hosts: ProtectedHosts;
  readonly #scope: BlockScope;
  /** Lists are sorted by host, so the same host is asked about again and again. */
  #last: { readonly host: string; readonly omission: Omission | undefined } | undefined;

  constructor(
    context: Pick<ExportContext, 'declared' | 'lists' | 'baseUrl' | 'status'>,
    scope: BlockScope,
  ) {
    this.#context = context;
    this.#hosts = new ProtectedHosts(context);
    this.#scope = scope;
  }

  omission({ status, c2, rejectionSequence }: ListedReport): Omission | undefined {
    if (!isPort(c2.port)) return 'unwritable';
    const omission = this.#hostOmission(c2.host) ?? this.#statusOmission(status);
    return omission ?? (rejectionSequence === undefined ? undefined : 'c2-rejected');
  }

  #hostOmission(host: string): Omission | undefined {
    if (this.#last?.host !== host) this.#last = { host, omission: this.#decide(host) };
    return this.#last.omission;
  }

  #decide(host: string): Omission | undefined {
    const kind = hostKind(host);
    if (kind === undefined) return 'unwritable';
    return this.#scope === 'endpoint'
      ? this.#hosts.ofEndpoint(host)
      : this.#hosts.ofHost(host, kind);
  }

  /**
   * The desk has stopped an actioned C2, and its name or port may belong to another customer
   * tomorrow, so such reports are listed only on request.
   */
  #statusOmission(status: ExportedReport['status']): Omission | undefined {
    if (status === 'rejected' || status === 'expired') return status;
    return status === 'actioned' && this.#context.status !== status ? status : undefined;
  }
}

/** A list with an entry on a line, or several entries in a statement. */
export interface ListFormat {
  readonly commentSign: string;
  /** What the list contains, for its first line. */
  readonly title: string;
  /** What precedes the first entry. */
  readonly preamble?: string;
  /** Reports with the same key have the same entry. They are adjacent. */
  key(report: ExportedReport): string;
  omission(report: ExportedReport): Omission | undefined;
  write(report: ExportedReport): string;
  /** What follows the last entry. */
  rest?(): string;
}

/** Writes comments, the entries without repetitions, the number of omissions, and the end mark. */
export function openList(context: ExportContext, format: ListFormat): ExportWriter {
  const entries = new DistinctEntries();
  const comment = (text: string) => `${format.commentSign} ${asciiLine(text)}\n`;
  return {
    start: () =>
      comment(`${format.title}, feed ${context.feed} of ${context.baseUrl}`) +
      comment(`changed ${context.changedAt}, serial ${context.serial}`) +
      (format.preamble ?? ''),
    report: (report) =>
      entries.admit(format.key(report), format.omission(report)) ? format.write(report) : '',
    end(digest) {
      const rest = (format.rest?.() ?? '') + comment(`left out: ${entries.leftOut()}`);
      return rest + comment(`END rows=${entries.rows} sha256=${digest(rest)}`);
    },
  };
}

/**
 * An entry is written if one of its reports may be listed. It counts as left out, for the first
 * reason, if none may.
 */
class DistinctEntries {
  rows = 0;
  readonly #omissions = new Map<Omission, number>();
  #key: string | undefined;
  #isWritten = false;
  #reason: Omission | undefined;

  /** Whether the entry is to be written now. */
  admit(key: string, omission: Omission | undefined): boolean {
    if (key !== this.#key) this.#next(key);
    if (omission !== undefined) this.#reason ??= omission;
    if (omission !== undefined || this.#isWritten) return false;
    this.#isWritten = true;
    this.rows += 1;
    return true;
  }

  #next(key: string | undefined): void {
    const reason = this.#isWritten ? undefined : this.#reason;
    if (reason !== undefined) this.#omissions.set(reason, (this.#omissions.get(reason) ?? 0) + 1);
    this.#key = key;
    this.#isWritten = false;
    this.#reason = undefined;
  }

  /** `3 (2 reserved, 1 rejected)` */
  leftOut(): string {
    this.#next(undefined);
    const counts = [...this.#omissions].sort(([a], [b]) => (a < b ? -1 : 1));
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const reasons = counts.map(([reason, count]) => `${count} ${reason}`).join(', ');
    return total === 0 ? '0' : `${total} (${reasons})`;
  }
}

/** The value of an option, which is the first permitted one if the request does not set it. */
export function optionOf(
  { options }: Pick<Exporter, 'options'>,
  context: Pick<ExportContext, 'options'>,
  name: string,
): string {
  return context.options[name] ?? options?.[name]?.[0] ?? '';
}
