import { type Quota, RapsheetError } from './error.ts';
import { type FileToSend, fileForm } from './form.ts';
import { parseQuota } from './headers.ts';
import { type Call, type Lines, Transport, type TransportOptions } from './transport.ts';
import type {
  AccountAnswer,
  AccountList,
  AddAccountBody,
  AddedAccount,
  AddServiceBody,
  AnalysisDetails,
  AnalysisReport,
  AuditPage,
  Balance,
  ChangeAccountBody,
  ChangeServiceBody,
  CreatedReport,
  CreateReportBody,
  DeletedReport,
  Done,
  FetchedReport,
  FoundDetails,
  FoundSamples,
  Health,
  Imported,
  IssueAccountTokenBody,
  IssuedToken,
  IssueTokenBody,
  SampleState,
  ServiceAnswer,
  ServiceList,
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
export class RapsheetClient {
  readonly #feeds: Transport;
  readonly #analysis: Transport;

  constructor({ analysisUrl, ...options }: ClientOptions) {
    this.#feeds = new Transport(options);
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

  balance(): Promise<Balance> {
    return this.#get('/api/balance');
  }

  listTokens(): Promise<TokenList> {
    return this.#get('/api/tokens');
  }

  issueToken(body: IssueTokenBody = {}): Promise<IssuedToken> {
    return this.#change('POST', '/api/tokens', body);
  }

  revokeToken(id: string): Promise<Token> {
    return this.#delete(`/api/tokens/${encodeURIComponent(id)}`);
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

  revokeAccountToken(id: string): Promise<Token> {
    return this.#delete(`/admin/tokens/${encodeURIComponent(id)}`);
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
  #change<Body>(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<Body> {
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

function samplePath(hash: string): string {
  return `/private/sample/${encodeURIComponent(hash)}`;
}

function accountPath(account: string): string {
  return `/admin/accounts/${encodeURIComponent(account)}`;
}

function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

function quoteKey(key: string): string {
  if (/^[\x20-\x21\x23-\x7e]{1,255}$/.test(key)) return `"${key}"`;
  throw new RapsheetError(
    'An idempotency key must be 1 to 255 printable ASCII characters without quotes.',
    { code: 'bad_options' },
  );
}

/** A random UUID. Browsers have `randomUUID` only on https, and this everywhere. */
function newKey(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
