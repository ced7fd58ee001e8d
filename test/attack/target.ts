import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RapsheetClient } from '../../src/client/client.ts';
import { footprintOf } from '../e2e/faults/footprint.ts';
import { TestInstallation, type TestServer } from '../installation.ts';
import { newDatabase, type PostgresServer } from '../postgres.ts';
import type { DatabaseKind, Measures } from './case.ts';
import type { TurnWindow } from './probe.ts';

const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url));
const SAMPLE_EVERY_MS = 50;
const TIMEOUT_MS = 60_000;
const UNLIMITED = { limit: null, period: 'none' as const };
/** After this time the server is idle: timers are started, the first collections are over. */
const SETTLE_MS = 1500;

/**
 * The caller: without a token, an account without roles, a researcher, the owner of the feed, or an
 * admin.
 */
export type Role = 'anonymous' | 'reader' | 'researcher' | 'owner' | 'admin';

/** The server under attack: a real process with a feed `ply` and an account of every role. */
export class Target {
  readonly installation: TestInstallation;
  readonly database: DatabaseKind;
  readonly server: TestServer;
  readonly tokens: ReadonlyMap<Role, string>;
  readonly #store: Readonly<Record<string, string>>;
  readonly #dropDatabase: () => Promise<void>;

  private constructor(parts: Parts) {
    this.installation = parts.installation;
    this.database = parts.database;
    this.server = parts.server;
    this.tokens = parts.tokens;
    this.#store = parts.store;
    this.#dropDatabase = parts.dropDatabase;
  }

  static async start({ database, postgres, settings = {} }: TargetOptions): Promise<Target> {
    const installation = new TestInstallation();
    const testDatabase = database === 'postgres' ? await newDatabase(postgres) : undefined;
    const store = { ...(testDatabase && { RAPSHEET_DATABASE_URL: testDatabase.url }) };
    const server = await installation.server({
      ...store,
      // The options of `npm start`, and the probe.
      NODE_OPTIONS: `--import=${PROBE}`,
      ATTACK_TURNS_FILE: turnsFile(installation),
      RAPSHEET_ANALYSIS_WORKERS: '1',
      // The defaults, which `TestInstallation` disables. Rate limits stay off to fill feeds.
      RAPSHEET_ACCOUNT_UPLOADS: '8',
      RAPSHEET_ACCOUNT_STREAMS: '100',
      RAPSHEET_LOG_LEVEL: 'warn',
      ...settings,
    });
    const tokens = await addAccounts(server.url, installation.adminToken);
    const dropDatabase = async () => await testDatabase?.drop();
    return new Target({ installation, database, server, tokens, store, dropDatabase });
  }

  /** Another process on the same store, which the case ends. */
  secondNode(): Promise<TestServer> {
    return this.installation.server({ ...this.#store, RAPSHEET_LOG_LEVEL: 'warn' });
  }

  get port(): number {
    return Number(new URL(this.server.url).port);
  }

  tokenOf(role: Role): string {
    return this.tokens.get(role) ?? '';
  }

  client(role: Role): RapsheetClient {
    const { url } = this.server;
    return new RapsheetClient({
      url,
      token: this.tokenOf(role),
      retries: 0,
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** Uses `fetch`, for requests that the client does not support. */
  async call(role: Role, path: string, init: RequestInit = {}): Promise<Response> {
    const token = this.tokenOf(role);
    const headers = { ...init.headers, ...(token !== '' && { authorization: token }) };
    return await fetch(`${this.server.url}${path}`, { ...init, headers });
  }

  /** Returns why the server does not serve, or `undefined` if it does. */
  async failure(): Promise<string | undefined> {
    try {
      const answer = await fetch(`${this.server.url}/livez`, {
        signal: AbortSignal.timeout(10_000),
      });
      await answer.text();
      return answer.status === 200 ? undefined : `/livez answers ${answer.status}`;
    } catch (cause) {
      return `/livez does not answer: ${cause}`;
    }
  }

  async settle(): Promise<void> {
    await sleep(SETTLE_MS);
  }

  /** Measures memory, event loop turns and `/livez` during the work. */
  async measure<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly measures: Measures }> {
    const startedAt = Date.now();
    const idle = footprintOf(this.server.pid).rssBytes;
    let peak = idle;
    let livezMs = 0;
    let isOver = false;
    const watchMemory = async () => {
      while (!isOver && existsSync(`/proc/${this.server.pid}`)) {
        peak = Math.max(peak, footprintOf(this.server.pid).rssBytes);
        await sleep(SAMPLE_EVERY_MS);
      }
    };
    const watchHealth = async () => {
      while (!isOver) {
        const sentAt = performance.now();
        const failure = await this.failure();
        livezMs = Math.max(livezMs, performance.now() - sentAt);
        if (failure !== undefined) return;
        await sleep(SAMPLE_EVERY_MS);
      }
    };
    const watchers = [watchMemory(), watchHealth()];
    try {
      const result = await work();
      // Waits until the probe has written its last window.
      await sleep(4 * SAMPLE_EVERY_MS);
      isOver = true;
      await Promise.all(watchers);
      const turns = this.#turnsSince(startedAt);
      const grownMb = (peak - idle) / 1e6;
      return { result, measures: { grownMb, livezMs, ...turns } };
    } finally {
      isOver = true;
    }
  }

  #turnsSince(startedAt: number): { readonly turnCpuMs: number; readonly turnWallMs: number } {
    const windows = readFileSync(turnsFile(this.installation), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as TurnWindow)
      .filter(({ at }) => at >= startedAt);
    return {
      turnCpuMs: Math.max(0, ...windows.map(({ cpuMs }) => cpuMs)),
      turnWallMs: Math.max(0, ...windows.map(({ wallMs }) => wallMs)),
    };
  }

  async stop(): Promise<void> {
    await this.installation.close();
    await this.#dropDatabase();
  }
}

interface Parts {
  readonly installation: TestInstallation;
  readonly database: DatabaseKind;
  readonly server: TestServer;
  readonly tokens: ReadonlyMap<Role, string>;
  /** The settings that name the database. */
  readonly store: Readonly<Record<string, string>>;
  readonly dropDatabase: () => Promise<void>;
}

interface TargetOptions {
  readonly database: DatabaseKind;
  /** The server to make a database on, for PostgreSQL. */
  readonly postgres: PostgresServer | undefined;
  readonly settings?: Readonly<Record<string, string>>;
}

function turnsFile({ folder }: TestInstallation): string {
  return join(folder, 'turns.ndjson');
}

async function addAccounts(url: string, adminToken: string): Promise<ReadonlyMap<Role, string>> {
  const admin = new RapsheetClient({ url, token: adminToken, retries: 0, timeoutMs: TIMEOUT_MS });
  await admin.addService({ slug: 'ply' });
  await admin.addService({ slug: 'other' });
  const reader = await admin.addAccount({ name: 'reader' });
  const quota = UNLIMITED;
  const researcher = await admin.addAccount({ name: 'researcher', roles: ['researcher'], quota });
  const owner = await admin.addAccount({ name: 'owner', services: ['ply'] });
  return new Map<Role, string>([
    ['anonymous', ''],
    ['reader', reader.token],
    ['researcher', researcher.token],
    ['owner', owner.token],
    ['admin', adminToken],
  ]);
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
