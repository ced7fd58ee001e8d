import type { Quota } from './error.ts';
import { FeedClient } from './feeds.ts';
import { type FileToSend, fileForm } from './form.ts';
import { parseQuota } from './headers.ts';
import { newKey, quoteKey } from './keys.ts';
import { query } from './query.ts';
import { type Call, type Lines, Transport, type TransportOptions } from './transport.ts';
import type {
  AccountAnswer,
  AccountList,
  AddAccountBody,
  AddedAccount,
  AddedWebhook,
  AddServiceBody,
  AddWebhookBody,
  AnalysisDetails,
  AnalysisReport,
  AuditPage,
  Balance,
  ChangeAccountBody,
  ChangeServiceBody,
  ChangeWebhookBody,
  CreatedReport,
  CreateReportBody,
  DeletedReport,
  DeliveryList,
  Done,
  FetchedReport,
  FoundDetails,
  FoundSamples,
  Health,
  Imported,
  IssueAccountTokenBody,
  IssuedToken,
  IssueTokenBody,
  QueuedDelivery,
  RotatedWebhook,
  SampleState,
  SearchResults,
  ServiceAnswer,
  ServiceList,
  SimilarSamples,
  SubmittedSample,
  Token,
  TokenList,
  WebhookAnswer,
  WebhookList,
  WebhookPage,
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

export interface WebhookListOptions {
  readonly service?: string | undefined;
  /** The id or the name of the owner. */
  readonly account?: string | undefined;
  readonly limit?: number | undefined;
  /** The last id of the page before. */
  readonly after?: string | undefined;
}

/**
 * A Rapsheet server, as a caller sees it: a method for each operation of the OpenAPI document, by its name.
 * What the server refuses is thrown as a `RapsheetError`.
 *
 * Calls are tried again after 429 and 503, as long as `Retry-After` says and within bounds. Those that do no
 * harm when they are made twice, creating a report among them, also after 502, 504 and broken connections.
 */
export class RapsheetClient extends FeedClient {
  readonly #feeds: Transport;
  readonly #analysis: Transport;

  constructor({ analysisUrl, ...options }: ClientOptions) {
    const feeds = new Transport(options);
    super(feeds);
    this.#feeds = feeds;
    this.#analysis =
      analysisUrl === undefined ? this.#feeds : new Transport({ ...options, url: analysisUrl });
  }

  /** The key makes sure that attempts that cross each other create one report. The same key again, within a day, too. */
  async createReport(
    service: string,
    report: CreateReportBody,
    idempotencyKey: string = newKey(),
  ): Promise<CreatedReport> {
    return this.#call({
      method: 'POST',
      path: feedPath(service),
      repeat: 'always',
      body: report,
      headers: { 'idempotency-key': quoteKey(idempotencyKey) },
    });
  }

  fetchReport(service: string, id: string): Promise<FetchedReport> {
    return this.#get(`${feedPath(service)}${query({ report: id })}`);
  }

  deleteReport(service: string, id: string): Promise<DeletedReport> {
    return this.#delete(`${feedPath(service)}${query({ report: id })}`);
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
    return this.#get(`/search${query({ q: text, ...page })}`);
  }

  balance(): Promise<Balance> {
    return this.#get('/api/balance');
  }

  listTokens(): Promise<TokenList> {
    return this.#get('/api/tokens');
  }

  issueToken(body: IssueTokenBody = {}): Promise<IssuedToken> {
    return this.#change('POST', '/api/tokens', body);
  }

  /** `issued`: also every token that was issued with it, and with those. */
  revokeToken(id: string, options: { readonly issued?: boolean } = {}): Promise<Token> {
    return this.#delete(`/api/tokens/${encodeURIComponent(id)}${query(options)}`);
  }

  addService(body: AddServiceBody): Promise<ServiceAnswer> {
    return this.#change('POST', '/admin/services', body);
  }

  listServices(): Promise<ServiceList> {
    return this.#get('/admin/services');
  }

  changeService(slug: string, body: ChangeServiceBody): Promise<ServiceAnswer> {
    return this.#change('PATCH', `/admin/services/${encodeURIComponent(slug)}`, body);
  }

  addAccount(body: AddAccountBody): Promise<AddedAccount> {
    return this.#change('POST', '/admin/accounts', body);
  }

  listAccounts(): Promise<AccountList> {
    return this.#get('/admin/accounts');
  }

  /** An account goes by its id or its name. */
  showAccount(account: string): Promise<AccountAnswer> {
    return this.#get(accountPath(account));
  }

  changeAccount(account: string, body: ChangeAccountBody): Promise<AccountAnswer> {
    return this.#change('PATCH', accountPath(account), body);
  }

  listAccountTokens(account: string): Promise<TokenList> {
    return this.#get(`${accountPath(account)}/tokens`);
  }

  issueAccountToken(account: string, body: IssueAccountTokenBody = {}): Promise<IssuedToken> {
    return this.#change('POST', `${accountPath(account)}/tokens`, body);
  }

  revokeAccountToken(id: string, options: { readonly issued?: boolean } = {}): Promise<Token> {
    return this.#delete(`/admin/tokens/${encodeURIComponent(id)}${query(options)}`);
  }

  /** An analysis report a line. A text can be sent again, a stream cannot. */
  importSamples(lines: Lines): Promise<Imported> {
    const repeat = typeof lines === 'string' ? 'always' : 'never';
    return this.#call({ method: 'POST', path: '/admin/samples', repeat, lines });
  }

  purgeReport(id: string, reason: string): Promise<Done> {
    return this.#delete(`/admin/reports/${encodeURIComponent(id)}${query({ reason })}`);
  }

  purgeSample(sha256: string, reason: string): Promise<Done> {
    return this.#delete(`/admin/samples/${encodeURIComponent(sha256)}${query({ reason })}`);
  }

  audit(page: { readonly limit?: number; readonly before?: number } = {}): Promise<AuditPage> {
    return this.#get(`/admin/audit${query(page)}`);
  }

  /** The secret that signs what is sent is shown this once. */
  addWebhook(service: string, body: AddWebhookBody): Promise<AddedWebhook> {
    return this.#change('POST', webhookPath(service), body);
  }

  listWebhooks(service: string): Promise<WebhookList> {
    return this.#get(webhookPath(service));
  }

  /** Of all feeds, by id, for administrators. */
  listAllWebhooks(options: WebhookListOptions = {}): Promise<WebhookPage> {
    return this.#get(`/admin/webhooks${query({ ...options })}`);
  }

  /** For administrators, whoever owns it. */
  changeWebhook(id: string, body: ChangeWebhookBody): Promise<WebhookAnswer> {
    return this.#change('PATCH', `/admin/webhooks/${encodeURIComponent(id)}`, body);
  }

  showWebhook(service: string, id: string): Promise<WebhookAnswer> {
    return this.#get(webhookPath(service, id));
  }

  deleteWebhook(service: string, id: string): Promise<Done> {
    return this.#delete(webhookPath(service, id));
  }

  /** The old secret signs beside the new one for a day. */
  rotateWebhook(service: string, id: string): Promise<RotatedWebhook> {
    return this.#change('POST', webhookPath(service, id, 'rotate'));
  }

  enableWebhook(service: string, id: string): Promise<WebhookAnswer> {
    return this.#change('POST', webhookPath(service, id, 'enable'));
  }

  testWebhook(service: string, id: string): Promise<QueuedDelivery> {
    return this.#change('POST', webhookPath(service, id, 'test'));
  }

  /** Newest first. */
  listDeliveries(
    service: string,
    id: string,
    page: { readonly state?: string; readonly limit?: number; readonly before?: string } = {},
  ): Promise<DeliveryList> {
    return this.#get(`${webhookPath(service, id, 'deliveries')}${query(page)}`);
  }

  replayDelivery(service: string, id: string, delivery: string): Promise<QueuedDelivery> {
    return this.#change('POST', webhookPath(service, id, 'deliveries', delivery, 'replay'));
  }

  livez(): Promise<Health> {
    return this.#get('/livez', 'never');
  }

  readyz(): Promise<Health> {
    return this.#get('/readyz', 'never');
  }

  healthz(): Promise<Health> {
    return this.#get('/healthz', 'never');
  }

  #get<Body>(path: string, repeat: Call['repeat'] = 'always'): Promise<Body> {
    return this.#call({ method: 'GET', path, repeat });
  }

  #delete<Body>(path: string): Promise<Body> {
    return this.#call({ method: 'DELETE', path, repeat: 'always' });
  }

  /** What would be done twice when sent twice: a second token, units topped up again. */
  #change<Body>(method: 'POST' | 'PATCH', path: string, body?: unknown): Promise<Body> {
    return this.#call({ method, path, repeat: 'untouched', body });
  }

  async #charged<Body>(method: 'GET' | 'POST', path: string, body?: unknown) {
    const call: Call = { method, path, repeat: 'untouched', body };
    const reply = await this.#analysis.send<Body>(call);
    return { body: reply.body, quota: parseQuota(reply.headers) };
  }

  async #call<Body>(call: Call): Promise<Body> {
    return (await this.#feeds.send<Body>(call)).body;
  }
}

function feedPath(service: string): string {
  return `/feed/${encodeURIComponent(service)}/api`;
}

function webhookPath(service: string, ...rest: readonly string[]): string {
  return `/feed/${[service, 'webhooks', ...rest].map(encodeURIComponent).join('/')}`;
}

function samplePath(hash: string): string {
  return `/private/sample/${encodeURIComponent(hash)}`;
}

function accountPath(account: string): string {
  return `/admin/accounts/${encodeURIComponent(account)}`;
}
