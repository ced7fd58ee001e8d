import { AddressClient } from './addresses.ts';
import { Calls } from './calls.ts';
import type { Quota } from './error.ts';
import { type FileToSend, fileForm } from './form.ts';
import { parseQuota } from './headers.ts';
import { newKey, quoteKey } from './keys.ts';
import { type CursorPage, type PageLimit, query, type UsageRequest } from './query.ts';
import { openArchive, type SampleArchive } from './sample-archive.ts';
import { type Call, Transport, type TransportOptions } from './transport.ts';
import type {
  AnalysisDetails,
  AnalysisReport,
  Balance,
  CreatedReport,
  CreateReportBody,
  DeletedReport,
  DismissedProposal,
  DismissProposalBody,
  FetchedReport,
  FoundDetails,
  FoundReportAndDetails,
  FoundSamples,
  Health,
  IssuedToken,
  IssueTokenBody,
  Proposal,
  ProposalPage,
  ReportedProposal,
  ReportProposalBody,
  SampleState,
  SearchListAnswers,
  SearchResults,
  ServicePage,
  SimilarSamples,
  SubmittedSample,
  Token,
  TokenList,
  Usage,
} from './wire.ts';

export interface ClientOptions extends TransportOptions {
  /** The server of the sample operations; `url` by default. */
  readonly analysisUrl?: string | undefined;
}

export interface StoredReport extends CreatedReport {
  /** The desk has rejected the C2 as a false positive: the report gives no indicator of it. */
  readonly c2Rejected?: true;
}

interface Charged {
  /** `undefined` if a proxy removed the headers. */
  readonly quota: Quota | undefined;
}

export interface LookedUp extends Charged {
  readonly report: AnalysisReport;
}

export interface LookedUpMany extends Charged {
  /** In the order of the hashes. */
  readonly results: FoundSamples['results'];
}

export interface LookedUpDetails extends Charged {
  readonly details: AnalysisDetails;
}

export interface LookedUpReportAndDetails extends LookedUp {
  readonly details: AnalysisDetails | null;
}

export interface FoundSimilar extends Charged {
  /** Best first. */
  readonly similar: SimilarSamples['similar'];
}

export interface UploadOptions extends Omit<FileToSend, 'file'> {
  /** Seconds the server may wait for the analysis before it answers; at most 30. */
  readonly wait?: number | undefined;
}

export interface ProposalListOptions extends CursorPage {
  readonly state?: Proposal['state'] | undefined;
  /** The SHA-256 of the uploaded file. */
  readonly hash?: string | undefined;
}

/**
 * A client of the HTTP API with one method per operation, named by its `operationId` in the OpenAPI
 * document. Each base class adds the operations of one resource. A refusal is thrown as a
 * `RapsheetError`.
 *
 * Calls are retried after 429 and 503, with the delay of `Retry-After` and up to `retries` and
 * `maxWaitMs`. Idempotent calls, which include creating a report, are also retried after 502, 504
 * and broken connections.
 */
export class RapsheetClient extends AddressClient {
  readonly #transport: Transport;
  readonly #calls: Calls;
  readonly #analysis: Transport;

  constructor({ analysisUrl, ...options }: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
    this.#calls = new Calls(transport);
    this.#analysis =
      analysisUrl === undefined ? transport : new Transport({ ...options, url: analysisUrl });
  }

  /**
   * Concurrent and repeated calls with the same key create one report; a key is valid for a day.
   */
  async createReport(
    service: string,
    report: CreateReportBody,
    idempotencyKey: string = newKey(),
  ): Promise<StoredReport> {
    const { body, headers } = await this.#transport.send<CreatedReport>({
      method: 'POST',
      path: feedPath(service),
      retry: 'always',
      body: report,
      headers: { 'idempotency-key': quoteKey(idempotencyKey) },
    });
    return headers.get('x-c2-rejected') === null ? body : { ...body, c2Rejected: true };
  }

  fetchReport(service: string, id: string): Promise<FetchedReport> {
    return this.#calls.get(`${feedPath(service)}${query({ report: id })}`);
  }

  deleteReport(service: string, id: string): Promise<DeletedReport> {
    return this.#calls.delete(`${feedPath(service)}${query({ report: id })}`);
  }

  /**
   * Costs one unit of the quota, even without a result. It is not retried after a broken
   * connection, because the first attempt may have been charged: the caller decides. The same
   * applies to the other methods that return a quota.
   */
  async lookUp(hash: string): Promise<LookedUp> {
    const { body, quota } = await this.#charged<AnalysisReport>('GET', samplePath(hash));
    return { report: body, quota };
  }

  /** At most 100 hashes. Costs a unit for each, or none if the quota is too small for all. */
  async lookUpMany(hashes: readonly string[]): Promise<LookedUpMany> {
    const path = '/private/samples';
    const { body, quota } = await this.#charged<FoundSamples>('POST', path, { hashes });
    return { results: body.results, quota };
  }

  async details(hash: string): Promise<LookedUpDetails>;
  /** The report as well, for the same unit. An imported report has no details. */
  async details(
    hash: string,
    options: { readonly report: true },
  ): Promise<LookedUpReportAndDetails>;
  async details(
    hash: string,
    options: { readonly report?: boolean } = {},
  ): Promise<LookedUpDetails | LookedUpReportAndDetails> {
    const path = `${samplePath(hash)}/details${query(options)}`;
    const { body, quota } = await this.#charged<FoundDetails | FoundReportAndDetails>('GET', path);
    const { successful: _, ...found } = body;
    return { ...found, quota };
  }

  /** By ssdeep, unless `by` says TLSH. */
  async similar(
    hash: string,
    options: { readonly by?: 'ssdeep' | 'tlsh' } = {},
  ): Promise<FoundSimilar> {
    return this.#similar(`/${encodeURIComponent(hash)}${query(options)}`);
  }

  async similarToSsdeep(ssdeep: string): Promise<FoundSimilar> {
    return this.#similar(query({ ssdeep }));
  }

  async similarToTlsh(tlsh: string): Promise<FoundSimilar> {
    return this.#similar(query({ tlsh }));
  }

  async sampleStatus(hash: string): Promise<SampleState> {
    const call = { method: 'GET', path: `${samplePath(hash)}/status`, retry: 'always' } as const;
    return (await this.#analysis.send<SampleState>(call)).body;
  }

  /**
   * A blob can be retried, a stream cannot. Uploading the same bytes twice is harmless. In Node,
   * `openAsBlob` of `node:fs` creates a blob of a file without reading it into memory.
   */
  async upload(
    file: Blob | ReadableStream<Uint8Array>,
    { wait, ...options }: UploadOptions,
  ): Promise<SubmittedSample> {
    const { body } = await this.#analysis.send<SubmittedSample>({
      method: 'POST',
      path: '/private/upload',
      retry: file instanceof Blob ? 'always' : 'never',
      form: () => fileForm({ file, ...options }),
      ...(wait !== undefined && { headers: { prefer: `wait=${wait}` } }),
    });
    return body;
  }

  async downloadSample(hash: string): Promise<SampleArchive> {
    const path = `${samplePath(hash)}/file`;
    return openArchive(await this.#analysis.open({ method: 'GET', path, retry: 'always' }));
  }

  /** Searches all feeds and samples. Does not use the quota. */
  search(text: string, page: PageLimit = {}): Promise<SearchResults> {
    return this.#calls.get(`/api/search${query({ q: text, ...page })}`);
  }

  /** At most 100 lines. Does not use the quota. */
  searchList(queries: readonly string[], page: PageLimit = {}): Promise<SearchListAnswers> {
    const body = { queries, ...page };
    return this.#calls.call({ method: 'POST', path: '/api/search', body, retry: 'always' });
  }

  /** What the analyses of your uploads propose to report, newest first. */
  listProposals(page: ProposalListOptions = {}): Promise<ProposalPage> {
    return this.#calls.get(`/api/proposals${query({ ...page })}`);
  }

  /** The members of `changes` replace those of the proposal. A repeated call creates nothing. */
  reportProposal(id: string, changes: ReportProposalBody = {}): Promise<ReportedProposal> {
    const path = `/api/proposals/${encodeURIComponent(id)}/report`;
    return this.#calls.call({ method: 'POST', path, retry: 'always', body: changes });
  }

  dismissProposal(id: string, body: DismissProposalBody): Promise<DismissedProposal> {
    const path = `/api/proposals/${encodeURIComponent(id)}/dismiss`;
    return this.#calls.call({ method: 'POST', path, retry: 'always', body });
  }

  services(page: CursorPage = {}): Promise<ServicePage> {
    return this.#calls.get(`/api/services${query({ ...page })}`);
  }

  balance(): Promise<Balance> {
    return this.#calls.get('/api/balance');
  }

  /**
   * The units charged on each of the last 90 days, and a page of what they were charged for, the
   * newest day first.
   */
  usage(request: UsageRequest = {}): Promise<Usage> {
    return this.#calls.get(`/api/usage${query({ ...request })}`);
  }

  listTokens(page: CursorPage = {}): Promise<TokenList> {
    return this.#calls.get(`/api/tokens${query({ ...page })}`);
  }

  issueToken(body: IssueTokenBody = {}): Promise<IssuedToken> {
    return this.#calls.change('POST', '/api/tokens', body);
  }

  /** `issued` also revokes every token issued with this one, and so on recursively. */
  revokeToken(id: string, options: { readonly issued?: boolean } = {}): Promise<Token> {
    return this.#calls.delete(`/api/tokens/${encodeURIComponent(id)}${query(options)}`);
  }

  livez(): Promise<Health> {
    return this.#calls.get('/livez', 'never');
  }

  readyz(): Promise<Health> {
    return this.#calls.get('/readyz', 'never');
  }

  healthz(): Promise<Health> {
    return this.#calls.get('/healthz', 'never');
  }

  async #similar(to: string): Promise<FoundSimilar> {
    const { body, quota } = await this.#charged<SimilarSamples>('GET', `/private/similar${to}`);
    return { similar: body.similar, quota };
  }

  async #charged<Body>(method: 'GET' | 'POST', path: string, body?: unknown) {
    const call: Call = { method, path, retry: 'unprocessed', body };
    const reply = await this.#analysis.send<Body>(call);
    return { body: reply.body, quota: parseQuota(reply.headers) };
  }
}

function feedPath(service: string): string {
  return `/feed/${encodeURIComponent(service)}/api`;
}

function samplePath(hash: string): string {
  return `/private/sample/${encodeURIComponent(hash)}`;
}
