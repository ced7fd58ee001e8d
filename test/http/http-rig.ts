import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { InjectOptions } from 'fastify';
import { openDigester } from '../../src/analysis/hashing/digests.ts';
import type { DatabaseLocation } from '../../src/config/locations.ts';
import type { SettingInForce } from '../../src/config/settings-in-force.ts';
import type { AccountLimits } from '../../src/domain/accounts/account-limits.ts';
import type { Role } from '../../src/domain/accounts/caller.ts';
import type { QuotaPolicy } from '../../src/domain/accounts/quota.ts';
import { Directory } from '../../src/domain/directory/directory.ts';
import type { Provider } from '../../src/domain/directory/provider.ts';
import { allowListOf } from '../../src/domain/lists/allow-list.ts';
import { IndicatorHosts } from '../../src/domain/reports/indicator-hosts.ts';
import type { Analysis } from '../../src/domain/samples/analysis.ts';
import type { AnalysisReport } from '../../src/domain/samples/analysis-report.ts';
import type { HttpDependencies } from '../../src/http/dependencies.ts';
import type { App } from '../../src/http/fastify-types.ts';
import { createRates } from '../../src/http/gate/account-rates.ts';
import { BadTokens } from '../../src/http/gate/bad-tokens.ts';
import { TokenUsage } from '../../src/http/gate/token-usage.ts';
import { buildServer, type ServerLimits } from '../../src/http/server.ts';
import { createLog } from '../../src/observability/log.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { addAccount, addFirstAdmin } from '../../src/operations/accounts/add-account.ts';
import { newTokenText } from '../../src/operations/accounts/issue-token.ts';
import { AnalysisEvents } from '../../src/operations/samples/analysis-events.ts';
import { addService, type ServiceRequest } from '../../src/operations/services/add-service.ts';
import { GuardedHttp, type GuardedHttpOptions } from '../../src/outgoing/guarded-http.ts';
import { createSealer } from '../../src/outgoing/sealed-secrets.ts';
import type { WorkerState } from '../../src/ports/analyser.ts';
import type { Exports } from '../../src/ports/exports.ts';
import type { NetworkTables } from '../../src/ports/networks.ts';
import type { OwnershipProver } from '../../src/ports/outgoing.ts';
import type { Job, Queue } from '../../src/ports/queue.ts';
import type { SampleFiles } from '../../src/ports/sample-files.ts';
import type { Store } from '../../src/ports/store.ts';
import { openSampleFolder } from '../../src/sample-files/folder.ts';
import { openExports } from '../../src/server/exports/open-exports.ts';
import {
  createBody,
  DEFAULTS,
  TestClock,
  testRandom,
  type WireAnalysis,
  wireAnalysis,
} from '../builders.ts';
import { openTestStore } from '../database.ts';
import { countJobs } from '../queue/count-jobs.ts';
import { type Answer, Contract } from './contract.ts';

export const BASE_URL = 'https://feeds.example';

export interface RigOptions {
  readonly trustProxy?: readonly string[] | false;
  readonly corsOrigins?: readonly string[];
  /** A built web application instead of that of this tree. */
  readonly webFolder?: URL;
  readonly baseUrl?: string;
  /** Wraps the store of the server, for example to make it fail. */
  readonly between?: (store: Store) => Store;
  /** Wraps the sample files of the server. */
  readonly betweenFiles?: (files: SampleFiles) => SampleFiles;
  readonly isDraining?: () => boolean;
  readonly uploadLimitBytes?: number;
  /** Whether a mail server is configured. */
  readonly sendsMail?: boolean;
  /** The offline tables; none by default. */
  readonly networks?: NetworkTables;
  readonly accountLimits?: Partial<AccountLimits>;
  readonly workers?: WorkerState;
  readonly settings?: readonly SettingInForce[];
  /** The directory is empty by default. */
  readonly providers?: readonly Provider[];
  readonly compatWebSocket?: boolean;
  /** The private addresses that webhooks may be sent to. */
  readonly outgoing?: Partial<GuardedHttpOptions>;
  /** No host has proofs by default. */
  readonly prover?: OwnershipProver;
  readonly wakeDeliveries?: () => void;
  readonly limits?: Partial<ServerLimits>;
  /** Receives every log line, of all levels. */
  readonly log?: (line: string) => void;
  /** Serves exports, from a database in a file; and their settings. */
  readonly exports?: { readonly exportsMaxBytes?: number; readonly allowList?: readonly string[] };
  /** Wraps the exports of the server. */
  readonly betweenExports?: (exports: Exports) => Exports;
}

export interface Asked {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, with the content type of the headers. */
  readonly payload?: string | Buffer | Readable;
  readonly remoteAddress?: string;
}

export interface TestAccount {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/** The ten fields of a report (specification, 2.1), as they go over the wire. */
export interface WireReport {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly c2Address: string;
  readonly reportedAt: string;
  readonly reportedBy: string;
  readonly file256Hash: string;
  readonly firstSeenID: string;
  readonly referenceLink: string;
  readonly confidenceScore: number;
}

/** A report with its status and history. */
export interface WireExtended extends WireReport {
  readonly service: string;
  readonly sequence: number;
  readonly status: string;
  readonly statusReason: string | null;
  readonly statusNote?: string;
  readonly statusBy?: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly corroboration: number;
  readonly sightings: number;
  readonly recurrence: boolean;
  readonly confirmation: string;
  readonly misrouted: boolean;
  readonly routedTo: string | null;
}

/** A single report, with what confirms it. */
export interface WireExamined extends WireExtended {
  readonly evidence: { readonly family: string | null; readonly c2s: readonly string[] } | null;
}

interface RigParts {
  readonly app: App;
  readonly deps: HttpDependencies;
  readonly clock: TestClock;
  readonly admin: string;
  readonly folder: string;
  readonly queue: Queue;
  readonly endStore: () => Promise<void>;
}

/**
 * The real server on a real store, in memory unless the tests run on PostgreSQL, with a test clock.
 * Every response is checked against the contract.
 */
export class Rig {
  readonly app: App;
  readonly deps: HttpDependencies;
  readonly clock: TestClock;
  /** The token of the first account. */
  readonly admin: string;
  /** The folder of the sample files. */
  readonly folder: string;
  readonly #contract: Contract;
  readonly #queue: Queue;
  readonly #endStore: () => Promise<void>;
  #count = 0;

  constructor({ app, deps, clock, admin, folder, queue, endStore }: RigParts) {
    this.app = app;
    this.deps = deps;
    this.clock = clock;
    this.admin = admin;
    this.folder = folder;
    this.#queue = queue;
    this.#endStore = endStore;
    this.#contract = new Contract(app);
  }

  /** The number of jobs in the queue. */
  countJobs(): Promise<number> {
    return countJobs(this.#queue);
  }

  leaseJobs(): Promise<readonly Job[]> {
    return this.#queue.lease('analyse', 100);
  }

  /** Returns whether the lease was not lost. */
  completeJob(job: Job | undefined): Promise<boolean> {
    assert.ok(job, 'no job was leased');
    return this.#queue.complete(job);
  }

  async ask(method: string, url: string, asked: Asked = {}): Promise<Answer> {
    const options: InjectOptions = {
      // The types of `inject` do not allow other methods.
      method: method as 'GET',
      url,
      headers: {
        ...(asked.token !== undefined && { authorization: `Bearer ${asked.token}` }),
        ...(asked.body !== undefined && { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(asked.body !== undefined && { payload: JSON.stringify(asked.body) }),
      ...(asked.payload !== undefined && { payload: asked.payload }),
      ...(asked.remoteAddress !== undefined && { remoteAddress: asked.remoteAddress }),
    };
    const response = await this.app.inject(options);
    const answer = toAnswer(response.statusCode, response.headers, response.payload);
    this.#contract.check(method, url, answer);
    return answer;
  }

  /** A name that is unique in this rig. */
  fresh(prefix: string): string {
    this.#count += 1;
    return `${prefix}-${this.#count}`;
  }

  async service(options: Partial<ServiceRequest> = {}): Promise<string> {
    const audit = { actor: 'test', at: this.clock.now() };
    return (await addService(this.deps, audit, { slug: this.fresh('svc'), ...options })).slug;
  }

  async account(
    options: {
      readonly name?: string;
      readonly roles?: readonly Role[];
      readonly services?: readonly string[];
      readonly quota?: QuotaPolicy;
      readonly expiresAt?: Date;
    } = {},
  ): Promise<TestAccount> {
    const audit = { actor: 'test', at: this.clock.now() };
    const { account, token } = await addAccount(this.deps, audit, {
      name: this.fresh('account'),
      ...options,
    });
    return { id: account.id, name: account.name, token };
  }

  researcher(): Promise<TestAccount> {
    return this.account({ roles: ['researcher'] });
  }

  /** An account that owns the feed of a service. */
  owner(service: string): Promise<TestAccount> {
    return this.account({ services: [service] });
  }

  reader(quota?: QuotaPolicy): Promise<TestAccount> {
    return this.account(quota === undefined ? {} : { quota });
  }

  /** Imports the analysis of an invented file through the admin API. */
  async analyse(file: string, members: Partial<WireAnalysis> = {}): Promise<WireAnalysis> {
    const analysis = wireAnalysis(file, members);
    const answer = await this.importLines(`${JSON.stringify(analysis)}\n`);
    assert.equal(answer.json['refused'], 0, answer.text);
    return analysis;
  }

  importLines(payload: string | Buffer): Promise<Answer> {
    const headers = { 'content-type': 'application/x-ndjson' };
    return this.ask('POST', '/admin/samples', { token: this.admin, headers, payload });
  }

  create(
    service: string,
    token: string,
    members: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.ask('POST', `/feed/${service}/api`, { token, headers, body: createBody(members) });
  }

  /** Creates a report, which must succeed, and returns its id. */
  async report(
    service: string,
    token: string,
    members: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const answer = await this.create(service, token, members);
    assert.equal(answer.status, 201, answer.text);
    return answer.json['id'] as string;
  }

  get(service: string, id: string, token = this.admin): Promise<Answer> {
    return this.ask('GET', `/feed/${service}/api?report=${id}`, { token });
  }

  remove(service: string, id: string, token: string): Promise<Answer> {
    return this.ask('DELETE', `/feed/${service}/api?report=${id}`, { token });
  }

  /** Fetches a report, which must exist. */
  async fetched(service: string, id: string): Promise<WireReport> {
    const answer = await this.get(service, id);
    assert.equal(answer.status, 200, answer.text);
    return answer.json['report'] as WireReport;
  }

  /** Sends a bulk create. Lines that are no strings are sent as JSON. */
  bulk(
    service: string,
    token: string,
    lines: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    return this.ask('POST', `/feed/${service}/reports`, {
      token,
      headers: { 'content-type': 'application/x-ndjson', ...headers },
      payload: texts.map((text) => `${text}\n`).join(''),
    });
  }

  /** Sets the status of a report as an owner of the feed. */
  answer(service: string, id: string, token: string, body: unknown): Promise<Answer> {
    return this.ask('PATCH', `/feed/${service}/reports/${id}`, { token, body });
  }

  lookUp(hash: string, token: string): Promise<Answer> {
    return this.ask('GET', `/private/sample/${hash}`, { token });
  }

  /** Uploads a file through the API. */
  upload(
    token: string,
    bytes: string | Buffer,
    { fileName = 'evil.exe', headers = {} }: UploadOptions = {},
  ): Promise<Answer> {
    return this.ask('POST', '/private/upload', {
      token,
      headers: { 'content-type': FORM_TYPE, ...headers },
      payload: form(filePart(bytes, fileName)),
    });
  }

  /** Uploads a file, which must succeed, and returns its SHA-256. */
  async uploaded(bytes: string | Buffer, options: UploadOptions = {}): Promise<string> {
    const answer = await this.upload((await this.researcher()).token, bytes, options);
    assert.equal(answer.status, 200, answer.text);
    return answer.json['sha256Hash'] as string;
  }

  /**
   * Completes the analysis of an uploaded sample as the job runner does, with an invented result.
   */
  async finish(
    sha256: string,
    report: Partial<AnalysisReport> = {},
    details: Partial<Analysis['details']> = {},
  ): Promise<Analysis> {
    const sample = await this.deps.store.samples.start(sha256);
    assert.ok(sample, 'the sample is not pending');
    const { digests, fileName, sizeBytes } = sample;
    const analysis: Analysis = {
      report: {
        ...digests,
        fileName,
        sizeBytes,
        date: this.clock.now(),
        tags: [{ heat: 1, name: 'TEXT' }],
        ssdeep: '3::',
        configs: {},
        duration: '00:00:00.0010000',
        ...report,
      },
      details: {
        evidence: [{ tag: 'TEXT', heat: 1, source: 'type', offset: 0 }],
        indicators: [{ kind: 'url', value: 'http://evil.example/', offset: 7 }],
        facts: { text: { lines: 1 } },
        members: [],
        c2s: [{ host: 'c2.lantern.example', port: 4444, family: 'LANTERN' }],
        ...details,
      },
    };
    const outcome = await this.deps.store.samples.finish(analysis, this.clock.now());
    assert.ok(outcome === 'added' || outcome === 'replaced', outcome);
    this.deps.analysisEvents.finished(sha256);
    return analysis;
  }

  async fail(sha256: string, reason = 'It took too long.'): Promise<void> {
    await this.deps.store.samples.fail(sha256, reason, this.clock.now());
    this.deps.analysisEvents.finished(sha256);
  }

  /** The names of all sample files, complete or partial. */
  async filesLeft(): Promise<readonly string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  async unitsLeft(token: string): Promise<unknown> {
    return (await this.ask('GET', '/api/balance', { token })).json['requests_left'];
  }

  /** The number of changes of a feed during `work`, from its sequence, which has no gaps. */
  async changesDuring(service: string, work: () => Promise<unknown>): Promise<number> {
    const { token } = await this.researcher();
    const before = await this.#sequenceOfNew(service, token);
    await work();
    return (await this.#sequenceOfNew(service, token)) - before - 1;
  }

  async #sequenceOfNew(service: string, token: string): Promise<number> {
    const id = await this.report(service, token, { c2Address: 'probe.example:1' });
    const report = await this.deps.store.reports.find(service, id);
    return report?.sequence ?? Number.NaN;
  }

  /** The audit log, newest entries first. */
  async audit(): Promise<readonly Record<string, unknown>[]> {
    const answer = await this.ask('GET', '/admin/audit?limit=1000', { token: this.admin });
    return answer.json['entries'] as Record<string, unknown>[];
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.#endStore();
    await rm(this.folder, { recursive: true });
  }
}

export interface UploadOptions {
  /** `undefined` sends no token. */
  readonly fileName?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const BOUNDARY = 'a-boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A part of a multipart form with the file. */
export function filePart(bytes: string | Buffer, fileName: string | undefined): Buffer {
  const name = fileName === undefined ? '' : `; filename="${fileName}"`;
  return part(`form-data; name="file"${name}`, bytes);
}

export function part(disposition: string, bytes: string | Buffer, headers = ''): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from('\r\n')]);
}

export function form(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** The real SHA-256 of uploaded bytes; `sha256Of` only invents one. */
export function digestOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A rig for a single test, whose clock the test may move. It is closed when the test ends. */
export async function ownRig(test: TestContext, options: RigOptions = {}): Promise<Rig> {
  const rig = await openRig(options);
  test.after(() => rig.close());
  return rig;
}

interface RigData {
  readonly store: Store;
  readonly location: DatabaseLocation | undefined;
  /** The data folder. */
  readonly data: string | undefined;
  readonly baseUrl: string;
}

/** The exports of a server, and the function that closes them. */
function openRigExports(options: RigOptions, { store, location, data, baseUrl }: RigData) {
  const between = options.betweenExports ?? ((exports: Exports) => exports);
  if (data === undefined || location === undefined)
    return { exports: between(NO_EXPORTS), closeExports: async () => undefined };
  const settings = {
    database: location,
    dataDir: data,
    exportsMaxBytes: 2 ** 30,
    allowList: [],
    suricataFirstSid: 90_000_000,
    mail: undefined,
  };
  const exports = openExports(
    { ...settings, ...options.exports },
    { feeds: store.feeds, log: createLog('silent'), baseUrl: () => baseUrl },
  );
  return { exports: between(exports), closeExports: () => exports.close() };
}

const NO_EXPORTS: Exports = {
  version: () => Promise.reject(new Error('this rig was opened without `exports`')),
  open: () => Promise.reject(new Error('this rig was opened without `exports`')),
};

const RIG_DEFAULTS = {
  prover: { check: async () => 'no_record' },
  baseUrl: BASE_URL,
  uploadLimitBytes: 1024 * 1024,
  sendsMail: false,
  networks: { originOf: () => ({}) },
  settings: [],
  providers: [],
  compatWebSocket: false,
  isDraining: () => false,
  wakeDeliveries: () => {},
  trustProxy: false,
  corsOrigins: [],
} as const satisfies RigOptions;

export async function openRig(given: RigOptions = {}): Promise<Rig> {
  const options = { ...RIG_DEFAULTS, ...given };
  const { baseUrl, prover, uploadLimitBytes, sendsMail, networks, settings } = options;
  const clock = new TestClock();
  const folder = await mkdtemp(join(tmpdir(), 'rapsheet-samples-'));
  const data = options.exports && (await mkdtemp(join(tmpdir(), 'rapsheet-')));
  const { store, queue, location, end } = await openTestStore(data && join(data, 'rapsheet.db'));
  const files = await openSampleFolder(folder);
  const accountLimits = { ...DEFAULTS.accountLimits, ...options.accountLimits };
  const rigData = { store, location, data, baseUrl };
  const { exports, closeExports } = openRigExports(options, rigData);
  const lists = allowListOf(options.exports?.allowList ?? []);
  const deps: HttpDependencies = {
    store: options.between?.(store) ?? store,
    files: options.betweenFiles?.(files) ?? files,
    openDigester,
    uploadLimitBytes,
    sendsMail,
    networks,
    accountLimits,
    analysisEvents: new AnalysisEvents(),
    workers: async () => options.workers,
    settings,
    directory: new Directory(options.providers),
    compatWebSocket: options.compatWebSocket,
    now: clock.now,
    randomBytes: testRandom(),
    resultsPage: (sha256) => `${BASE_URL}/files/${sha256}`,
    welcomePage: (secret) => `${baseUrl}/welcome#${secret}`,
    metrics: createMetrics(),
    badTokens: new BadTokens(),
    rates: createRates(accountLimits, () => clock.now().getTime()),
    tokenUsage: new TokenUsage(),
    isDraining: options.isDraining,
    baseUrl: () => baseUrl,
    knownLists: () => lists,
    indicatorHosts: () => new IndicatorHosts({ lists, baseUrl }),
    outgoing: new GuardedHttp({ allowHttp: false, allowedNetworks: [], ...options.outgoing }),
    prover,
    sealer: createSealer(Buffer.alloc(32, 7)),
    wakeDeliveries: options.wakeDeliveries,
    exports,
  };
  const app = await buildServer(deps, {
    log: options.log ? createLog('trace', { write: options.log }) : createLog('silent'),
    trustProxy: options.trustProxy,
    corsOrigins: options.corsOrigins,
    webFolder: options.webFolder,
    limits: { ...DEFAULTS.limits, ...options.limits },
  });
  const admin = newTokenText(deps);
  await addFirstAdmin(deps, admin);
  const endStore = async () => {
    await closeExports();
    await end();
    if (data !== undefined) await rm(data, { recursive: true });
  };
  return new Rig({ app, deps, clock, admin, folder, queue, endStore });
}

function toAnswer(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  text: string,
): Answer {
  const flat = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  );
  return { status, headers: flat, text, json: readObject(text), code: flat['x-error-code'] };
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
