import { type BatchPace, parsePace, readBatch } from './batch.ts';
import { type ExportedFile, openFile } from './exported-file.ts';
import { type FeedEvent, type FollowOptions, follow } from './follow.ts';
import { IntakeClient } from './intake.ts';
import { newKey, quoteKey } from './keys.ts';
import { query } from './query.ts';
import type { Call, Lines, Transport } from './transport.ts';
import type {
  BatchLine,
  ChangedReport,
  ChangePage,
  ChangePageOfAll,
  CreateReportBody,
  FeedStatistics,
  ReporterStatistics,
  ReportHistory,
  ReportPage,
  ReportPreview,
  ServiceStatistics,
  SetStatusBody,
  SetStatuses,
  SetStatusesBody,
  ShownReport,
  StreamTicket,
} from './wire.ts';

/** Filters are combined with `and`. */
export interface ListOptions {
  /** At most 1000; 100 by default. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. All other options but `limit` must be unchanged. */
  readonly cursor?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** YYYY-MM-DDTHH:MM:SSZ */
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  /** The family, else the first tag. The case of letters does not matter. */
  readonly name?: string | undefined;
  readonly tag?: string | readonly string[] | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Host and port at once. */
  /** The host of the C2, or a name above it. */
  readonly domain?: string | undefined;
  readonly c2?: string | undefined;
  readonly hash?: string | undefined;
  readonly reporter?: string | undefined;
  readonly min_confidence?: number | undefined;
  /** `confirmed`, `contradicted` or `unknown`. */
  readonly confirmation?: string | undefined;
  /** Whether another service than that of the feed answers for the C2. */
  readonly misrouted?: boolean | undefined;
  readonly status?: string | undefined;
  /** Whether the answer contains the total number of reports. */
  readonly count?: boolean | undefined;
}

export interface ExportOptions {
  readonly filter?: Omit<ListOptions, 'limit' | 'cursor' | 'order' | 'count'> | undefined;
  /** Options of the format. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** The tag of the file that the caller has. */
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ChangesOptions {
  /** `next` of the previous page; the beginning of the feed by default. */
  readonly since?: string | number | undefined;
  readonly limit?: number | undefined;
}

export interface StatisticsOptions {
  /** The last UTC days, at most 90; 30 by default. */
  readonly days?: number | undefined;
}

export type StreamOptions = FollowOptions;

const ALL = 'all';

/** Reading and following feeds, creating reports in bulk, and setting their status. */
export class FeedClient extends IntakeClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  listReports(service: string, options: ListOptions = {}): Promise<ReportPage> {
    return this.#send({
      method: 'GET',
      path: `${feedPath(service)}/reports${query({ ...options })}`,
    });
  }

  listAllReports(options: ListOptions = {}): Promise<ReportPage> {
    return this.listReports(ALL, options);
  }

  /** What `createReport` would store or refuse, by member. Stores nothing and spends no quota. */
  previewReport(service: string, report: CreateReportBody): Promise<ReportPreview> {
    return this.#send({
      method: 'POST',
      path: `${feedPath(service)}/preview`,
      body: report,
    });
  }

  /** The report with its status, and whether the configuration in its file confirms it. */
  showReport(service: string, id: string): Promise<ShownReport> {
    return this.#send({ method: 'GET', path: reportPath(service, id) });
  }

  /** The creation of the report, its statuses, and its last other change. */
  reportHistory(service: string, id: string): Promise<ReportHistory> {
    return this.#send({ method: 'GET', path: `${reportPath(service, id)}/history` });
  }

  /** Counts per day, status, name and time to the first answer. Spends no quota. */
  feedStatistics(service: string, options: StatisticsOptions = {}): Promise<FeedStatistics> {
    return this.#send({
      method: 'GET',
      path: `${feedPath(service)}/statistics${query({ ...options })}`,
    });
  }

  allStatistics(options: StatisticsOptions = {}): Promise<FeedStatistics> {
    return this.feedStatistics(ALL, options);
  }

  /** What became of the reports of a reporter, by the name in `reportedBy`. Spends no quota. */
  reporterStatistics(name: string): Promise<ReporterStatistics> {
    return this.#send({
      method: 'GET',
      path: `/api/statistics/reporters/${encodeURIComponent(name)}`,
    });
  }

  /** How a service deals with its reports. Spends no quota. */
  serviceStatistics(service: string, options: StatisticsOptions = {}): Promise<ServiceStatistics> {
    return this.#send({
      method: 'GET',
      path: `/api/statistics/services/${encodeURIComponent(service)}${query({ ...options })}`,
    });
  }

  /**
   * All reports of a feed that match the filters, as a file of that format. Its body fails if the
   * file does not end as a complete one does. `undefined` if `etag` is that of the current file.
   */
  async exportFeed(
    service: string,
    format: string,
    { filter, options, etag, signal }: ExportOptions = {},
  ): Promise<ExportedFile | undefined> {
    const { body, headers } = await this.#transport.openIfChanged({
      method: 'GET',
      path: `${feedPath(service)}/export/${encodeURIComponent(format)}${query({ ...filter, ...options })}`,
      retry: 'always',
      headers: { accept: '*/*', ...(etag !== undefined && { 'if-none-match': etag }) },
      signal,
    });
    return body && openFile(body, headers);
  }

  exportAllFeeds(format: string, options: ExportOptions = {}): Promise<ExportedFile | undefined> {
    return this.exportFeed(ALL, format, options);
  }

  feedChanges(service: string, options: ChangesOptions = {}): Promise<ChangePage> {
    return this.#send({
      method: 'GET',
      path: `${feedPath(service)}/changes${query({ ...options })}`,
    });
  }

  allChanges(options: ChangesOptions = {}): Promise<ChangePageOfAll> {
    return this.#send({ method: 'GET', path: `${feedPath(ALL)}/changes${query({ ...options })}` });
  }

  /**
   * One report per line, at most 10,000. Yields the result of each line as the server sends it. A
   * string is retried, a stream is not; sending the same lines with the same key again creates no
   * duplicates. There is no timeout: beyond its rate, an account waits for its lines. `onPace` is
   * called before the first result, unless creates are not limited.
   */
  async createReports(
    service: string,
    lines: Lines,
    idempotencyKey: string = newKey(),
    { onPace }: { readonly onPace?: (pace: BatchPace) => void } = {},
  ): Promise<AsyncGenerator<BatchLine, void>> {
    const { body, headers } = await this.#transport.open({
      method: 'POST',
      path: `${feedPath(service)}/reports`,
      retry: typeof lines === 'string' ? 'always' : 'never',
      lines,
      headers: { 'idempotency-key': quoteKey(idempotencyKey), accept: 'application/x-ndjson' },
    });
    const pace = parsePace(headers);
    if (pace !== undefined) onPace?.(pace);
    return readBatch<BatchLine>(body);
  }

  /** For owners of the feed. */
  setStatus(service: string, id: string, body: SetStatusBody): Promise<ChangedReport> {
    return this.#send({ method: 'PATCH', path: reportPath(service, id), body });
  }

  setStatuses(service: string, body: SetStatusesBody): Promise<SetStatuses> {
    return this.#send({ method: 'PATCH', path: `${feedPath(service)}/reports`, body });
  }

  /** The raw bytes of the event stream. `followFeed` parses them and reconnects. */
  async feedStream(
    service: string,
    { since, lastEventId, signal }: StreamOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#transport.open({
      method: 'GET',
      path: `${feedPath(service)}/stream${query({ since })}`,
      retry: 'always',
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      signal,
    });
    return body;
  }

  allStream(options: StreamOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.feedStream(ALL, options);
  }

  /** A single-use ticket for browsers, which cannot set headers on an event stream. */
  streamTicket(service: string): Promise<StreamTicket> {
    return this.#send({ method: 'POST', path: `${feedPath(service)}/stream/tickets` });
  }

  allStreamTicket(): Promise<StreamTicket> {
    return this.streamTicket(ALL);
  }

  /** Yields the changes of a feed, or of `all`, as they happen; reconnects without a gap. */
  followFeed(service: string, options: FollowOptions = {}): AsyncGenerator<FeedEvent, void> {
    const { since, signal } = options;
    return follow(
      {
        open: (lastEventId) =>
          this.feedStream(
            service,
            lastEventId === undefined ? { since, signal } : { lastEventId, signal },
          ),
        sleep: (ms) => this.#transport.sleep(ms),
      },
      options,
    );
  }

  /** All of these calls are idempotent. */
  async #send<Body>(call: Omit<Call, 'retry'>): Promise<Body> {
    return (await this.#transport.send<Body>({ ...call, retry: 'always' })).body;
  }
}

function feedPath(service: string): string {
  return `/feed/${encodeURIComponent(service)}`;
}

function reportPath(service: string, id: string): string {
  return `${feedPath(service)}/reports/${encodeURIComponent(id)}`;
}
