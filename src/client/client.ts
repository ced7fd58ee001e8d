import { AdminClient } from './admin.ts';
import { Calls } from './calls.ts';
import type { Quota } from './error.ts';
import { type FileToSend, fileForm } from './form.ts';
import { parseQuota } from './headers.ts';
import { newKey, quoteKey } from './keys.ts';
import { type CursorPage, query } from './query.ts';
import { type Call, Transport, type TransportOptions } from './transport.ts';
import type {
  AnalysisDetails,
  AnalysisReport,
  Balance,
  CreatedReport,
  CreateReportBody,
  DeletedReport,
  FetchedReport,
  FoundDetails,
  FoundSamples,
  Health,
  IssuedToken,
  IssueTokenBody,
  SampleState,
  SearchResults,
  SimilarSamples,
  SubmittedSample,
  Token,
  TokenList,
} from './wire.ts';

export interface ClientOptions extends TransportOptions {
  /** Where everything about samples goes; where everything else goes by default. */
  readonly analysisUrl?: string | undefined;
}

interface Charged {
  /** `undefined` where something on the way took the headers out. */
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

export interface FoundAlike extends Charged {
  /** Best first. */
  readonly similar: SimilarSamples['similar'];
}

export interface UploadOptions extends Omit<FileToSend, 'file'> {
  /** How many seconds the answer may wait for the analysis, at most 30. */
  readonly wait?: number | undefined;
}

/**
 * A Rapsheet server, as a caller sees it: a method for each operation of the OpenAPI document, by its name.
 * What the server refuses is thrown as a `RapsheetError`.
 *
 * Calls are tried again after 429 and 503, as long as `Retry-After` says and within bounds. Those that do no
 * harm when they are made twice, creating a report among them, also after 502, 504 and broken connections.
 */
export class RapsheetClient extends AdminClient {
  readonly #calls: Calls;
  readonly #analysis: Transport;

  constructor({ analysisUrl, ...options }: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#calls = new Calls(transport);
    this.#analysis =
      analysisUrl === undefined ? transport : new Transport({ ...options, url: analysisUrl });
  }

  /** The key makes sure that attempts that cross each other create one report. The same key again, within a day, too. */
  async createReport(
    service: string,
    report: CreateReportBody,
    idempotencyKey: string = newKey(),
  ): Promise<CreatedReport> {
    return this.#calls.call({
      method: 'POST',
      path: feedPath(service),
      repeat: 'always',
      body: report,
      headers: { 'idempotency-key': quoteKey(idempotencyKey) },
    });
  }

  fetchReport(service: string, id: string): Promise<FetchedReport> {
    return this.#calls.get(`${feedPath(service)}${query({ report: id })}`);
  }

  deleteReport(service: string, id: string): Promise<DeletedReport> {
    return this.#calls.delete(`${feedPath(service)}${query({ report: id })}`);
  }

  /**
   * Takes one unit of the quota, whatever it finds. Not tried again after a broken connection: the unit may
   * be gone, and another attempt would take a second one. The caller decides. The same goes for all that follow
   * and take units.
   */
  async lookUp(hash: string): Promise<LookedUp> {
    const { body, quota } = await this.#charged<AnalysisReport>('GET', samplePath(hash));
    return { report: body, quota };
  }

  /** At most 100 hashes, each for one unit; or none is taken. */
  async lookUpMany(hashes: readonly string[]): Promise<LookedUpMany> {
    const path = '/private/samples';
    const { body, quota } = await this.#charged<FoundSamples>('POST', path, { hashes });
    return { results: body.results, quota };
  }

  async details(hash: string): Promise<LookedUpDetails> {
    const path = `${samplePath(hash)}/details`;
    const { body, quota } = await this.#charged<FoundDetails>('GET', path);
    return { details: body.details, quota };
  }

  async similar(hash: string): Promise<FoundAlike> {
    const path = `/private/similar/${encodeURIComponent(hash)}`;
    const { body, quota } = await this.#charged<SimilarSamples>('GET', path);
    return { similar: body.similar, quota };
  }

  async similarToSsdeep(ssdeep: string): Promise<FoundAlike> {
    const path = `/private/similar${query({ ssdeep })}`;
    const { body, quota } = await this.#charged<SimilarSamples>('GET', path);
    return { similar: body.similar, quota };
  }

  async sampleStatus(hash: string): Promise<SampleState> {
    const call = { method: 'GET', path: `${samplePath(hash)}/status`, repeat: 'always' } as const;
    return (await this.#analysis.send<SampleState>(call)).body;
  }

  /**
   * A blob can be sent again, a stream cannot; the same bytes again are the same sample. In Node `openAsBlob` of
   * `node:fs` makes a blob of a file without reading it into memory.
   */
  async upload(
    file: Blob | ReadableStream<Uint8Array>,
    { wait, ...options }: UploadOptions,
  ): Promise<SubmittedSample> {
    const { body } = await this.#analysis.send<SubmittedSample>({
      method: 'POST',
      path: '/private/upload',
      repeat: file instanceof Blob ? 'always' : 'never',
      form: () => fileForm({ file, ...options }),
      ...(wait !== undefined && { headers: { prefer: `wait=${wait}` } }),
    });
    return body;
  }

  /** A zip with the password `infected`. Who reads it to its end without an error has all of it. */
  async downloadSample(hash: string): Promise<ReadableStream<Uint8Array>> {
    const path = `${samplePath(hash)}/file`;
    return (await this.#analysis.open({ method: 'GET', path, repeat: 'always' })).body;
  }

  /** Over all feeds and samples. Takes nothing of the quota. */
  search(text: string, page: { readonly limit?: number | undefined } = {}): Promise<SearchResults> {
    return this.#calls.get(`/search${query({ q: text, ...page })}`);
  }

  balance(): Promise<Balance> {
    return this.#calls.get('/api/balance');
  }

  listTokens(page: CursorPage = {}): Promise<TokenList> {
    return this.#calls.get(`/api/tokens${query({ ...page })}`);
  }

  issueToken(body: IssueTokenBody = {}): Promise<IssuedToken> {
    return this.#calls.change('POST', '/api/tokens', body);
  }

  /** `issued`: also every token that was issued with it, and with those. */
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

  async #charged<Body>(method: 'GET' | 'POST', path: string, body?: unknown) {
    const call: Call = { method, path, repeat: 'untouched', body };
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
