import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RapsheetClient } from '../../../src/client/client.ts';
import type { TestInstallation, TestServer } from '../../installation.ts';

const TIMEOUT_MS = 120_000;

/**
 * A server with its worker, on SQLite whatever other tests run on, or on the database that is
 * named.
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

  client(token = this.#adminToken): RapsheetClient {
    const [url = ''] = this.urls;
    return new RapsheetClient({ url, token, retries: 0, timeoutMs: TIMEOUT_MS });
  }

  /** A feed, and somebody with far more units than are ever spent. */
  async prepare() {
    const admin = this.client();
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 10_000_000, period: 'none' as const };
    return await admin.addAccount({ name: 'alice', roles: ['researcher'], quota });
  }

  /** Looks into the file itself. */
  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const db = new DatabaseSync(this.database, { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }

  /** What the doctor finds wrong. */
  async examine(): Promise<string[]> {
    const { code, stdout, stderr } = await this.installation.run(['doctor'], {
      settings: this.#settings,
    });
    const wrong = stdout.split('\n').filter((line) => !line.startsWith('ok '));
    return code === 0 ? [] : [`the doctor ended with ${code}: ${wrong.join(' ')} ${stderr}`];
  }

  get #running(): TestServer {
    if (this.#server === undefined) throw new Error('it was not started');
    return this.#server;
  }

  get #adminToken(): string {
    return readFileSync(join(this.installation.dataDir, 'admin-token'), 'utf8').trim();
  }
}
