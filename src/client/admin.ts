import { Calls } from './calls.ts';
import { type CursorPage, query, type UsageRequest } from './query.ts';
import type { Lines, Transport } from './transport.ts';
import { WebhookClient } from './webhooks.ts';
import type {
  AccountAnswer,
  AccountList,
  AddAccountBody,
  AddedAccount,
  AddServiceBody,
  AnalysisQueue,
  AnalysisWorkers,
  AuditPage,
  ChangeAccountBody,
  ChangeServiceBody,
  CreateAccountLinkBody,
  CreatedLink,
  Done,
  EndedSessions,
  FailedSamples,
  Imported,
  IssueAccountTokenBody,
  IssuedToken,
  OverlapPage,
  Reanalysis,
  ServiceAnswer,
  ServiceList,
  Settings,
  StartReanalysisBody,
  Token,
  TokenList,
  Usage,
} from './wire.ts';

export interface AuditFilter {
  readonly limit?: number;
  readonly before?: number;
  readonly actor?: string;
  /** The action, or the part before its dot. */
  readonly action?: string;
  readonly subject?: string;
}

/** Administration: services, accounts, imports, removals and the audit log. */
export class AdminClient extends WebhookClient {
  readonly #calls: Calls;

  constructor(transport: Transport) {
    super(transport);
    this.#calls = new Calls(transport);
  }

  addService(body: AddServiceBody): Promise<ServiceAnswer> {
    return this.#calls.change('POST', '/admin/services', body);
  }

  listServices(): Promise<ServiceList> {
    return this.#calls.get('/admin/services');
  }

  /** Hosts and networks in those of other services. Pages may be short: follow the cursor. */
  listOverlaps(page: CursorPage = {}): Promise<OverlapPage> {
    return this.#calls.get(`/admin/overlaps${query({ ...page })}`);
  }

  changeService(slug: string, body: ChangeServiceBody): Promise<ServiceAnswer> {
    return this.#calls.change('PATCH', `/admin/services/${encodeURIComponent(slug)}`, body);
  }

  addAccount(body: AddAccountBody): Promise<AddedAccount> {
    return this.#calls.change('POST', '/admin/accounts', body);
  }

  /** Sorted by name; a page has 100 accounts by default. */
  listAccounts(
    page: { readonly limit?: number; readonly cursor?: string } = {},
  ): Promise<AccountList> {
    return this.#calls.get(`/admin/accounts${query(page)}`);
  }

  /** `account` is an id or a name. */
  showAccount(account: string): Promise<AccountAnswer> {
    return this.#calls.get(accountPath(account));
  }

  changeAccount(account: string, body: ChangeAccountBody): Promise<AccountAnswer> {
    return this.#calls.change('PATCH', accountPath(account), body);
  }

  /** Like `usage`, for any account. */
  showAccountUsage(account: string, request: UsageRequest = {}): Promise<Usage> {
    return this.#calls.get(`${accountPath(account)}/usage${query({ ...request })}`);
  }

  listAccountTokens(account: string, page: CursorPage = {}): Promise<TokenList> {
    return this.#calls.get(`${accountPath(account)}/tokens${query({ ...page })}`);
  }

  issueAccountToken(account: string, body: IssueAccountTokenBody = {}): Promise<IssuedToken> {
    return this.#calls.change('POST', `${accountPath(account)}/tokens`, body);
  }

  /** A link that signs one browser in as the account, once. */
  createAccountLink(account: string, body: CreateAccountLinkBody = {}): Promise<CreatedLink> {
    return this.#calls.change('POST', `${accountPath(account)}/links`, body);
  }

  /** Ends the sessions of the account in all browsers, and its unused links. */
  endAccountSessions(
    account: string,
    options: { readonly issued?: boolean } = {},
  ): Promise<EndedSessions> {
    return this.#calls.delete(`${accountPath(account)}/sessions${query(options)}`);
  }

  revokeAccountToken(id: string, options: { readonly issued?: boolean } = {}): Promise<Token> {
    return this.#calls.delete(`/admin/tokens/${encodeURIComponent(id)}${query(options)}`);
  }

  /** One analysis report per line. A string can be retried, a stream cannot. */
  importSamples(lines: Lines): Promise<Imported> {
    const retry = typeof lines === 'string' ? 'always' : 'never';
    return this.#calls.call({ method: 'POST', path: '/admin/samples', retry, lines });
  }

  purgeReport(id: string, reason: string): Promise<Done> {
    return this.#calls.delete(`/admin/reports/${encodeURIComponent(id)}${query({ reason })}`);
  }

  purgeSample(sha256: string, reason: string): Promise<Done> {
    return this.#calls.delete(`/admin/samples/${encodeURIComponent(sha256)}${query({ reason })}`);
  }

  /** With a filter a page may have few entries or none while `nextBefore` is not null. */
  audit(page: AuditFilter = {}): Promise<AuditPage> {
    return this.#calls.get(`/admin/audit${query({ ...page })}`);
  }

  showQueue(): Promise<AnalysisQueue> {
    return this.#calls.get('/admin/queue');
  }

  /** Newest failure first; a page has 100 samples by default. */
  listFailedSamples(page: CursorPage = {}): Promise<FailedSamples> {
    return this.#calls.get(`/admin/samples/failed${query({ ...page })}`);
  }

  /** Queues a stored sample. A report that it has stays until the new one replaces it. */
  analyseAgain(sha256: string): Promise<Done> {
    return this.#calls.change('POST', `/admin/samples/${encodeURIComponent(sha256)}/analyse`);
  }

  /** The last run that analyses stored files again, and how much is left. */
  showReanalysis(): Promise<Reanalysis> {
    return this.#calls.get('/admin/reanalysis');
  }

  /** Analyses all stored files again, or those last analysed before a time. */
  startReanalysis(body: StartReanalysisBody = {}): Promise<Reanalysis> {
    return this.#calls.change('POST', '/admin/reanalysis', body);
  }

  stopReanalysis(): Promise<Reanalysis> {
    return this.#calls.delete('/admin/reanalysis');
  }

  /** The analysis workers of the node that answers. */
  showWorkers(): Promise<AnalysisWorkers> {
    return this.#calls.get('/admin/workers');
  }

  /** The settings in force on the node that answers. */
  listSettings(): Promise<Settings> {
    return this.#calls.get('/admin/settings');
  }
}

function accountPath(account: string): string {
  return `/admin/accounts/${encodeURIComponent(account)}`;
}
