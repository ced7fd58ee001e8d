import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RapsheetClient } from '../../../src/client/client.ts';
import type { TestInstallation, TestServer } from '../../installation.ts';

const TIMEOUT_MS = 120_000;

/**
 * A server with one worker. It runs on SQLite, even if the test run uses PostgreSQL, unless the
 * settings name another database.
 */
export class SingleServer {
  readonly installation: TestInstallation;
  readonly #settings: Readonly<Record<string, string>>;
  #server: TestServer | undefined;

  constructor(installation: TestInstallation, settings: Readonly<Record<string, string>> = {}) {
    this.installation = installation;
    this.#settings = {
      RAPSHEET_DATABASE_URL: `sqlite:${this.database}`,
      RAPSHEET_ANALYSIS_WORKERS: '1',
      RAPSHEET_LOG_LEVEL: 'fatal',
      ...settings,
    };
  }

  get database(): string {
    return join(this.installation.dataDir, 'rapsheet.db');
  }

  get urls(): readonly string[] {
    return [this.#running.url];
  }

  get pid(): number {
    return this.#running.pid;
  }

  async start(): Promise<void> {
    this.#server = await this.installation.server(this.#settings);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    await this.#server?.end(signal);
  }

  client(token = this.installation.adminToken): RapsheetClient {
    const [url = ''] = this.urls;
    return new RapsheetClient({ url, token, retries: 0, timeoutMs: TIMEOUT_MS });
  }

  /** Adds a feed, and an account with more units than a test spends. */
  async prepare() {
    const admin = this.client();
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 10_000_000, period: 'none' as const };
    return await admin.addAccount({ name: 'alice', roles: ['researcher'], quota });
  }

  /** Queries the database file directly. */
  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const db = new DatabaseSync(this.database, { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }

  /** Runs the command `doctor` and returns its findings. */
  async examine(): Promise<string[]> {
    const { code, stdout, stderr } = await this.installation.run(['doctor'], {
      settings: this.#settings,
    });
    const wrong = stdout.split('\n').filter((line) => !line.startsWith('ok '));
    return code === 0 ? [] : [`doctor exited with ${code}: ${wrong.join(' ')} ${stderr}`];
  }

  get #running(): TestServer {
    if (this.#server === undefined) throw new Error('the server was not started');
    return this.#server;
  }
}
