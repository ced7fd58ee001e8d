import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RapsheetClient } from '../../../src/client/client.ts';
import { newTokenText } from '../../../src/operations/accounts/issue-token.ts';
import { TestInstallation, type TestServer, waitForOutput } from '../../installation.ts';

/** Longer than any response takes on a slow machine. */
const TIMEOUT_MS = 120_000;

/** A process of a cluster, which can be killed and restarted. */
export interface ClusterProcess {
  /** The current URL of a node; empty for a worker. */
  url: string;
  /** Freezes or continues the process. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/**
 * Real processes as on several machines: each has its own data folder; the database, the samples
 * and the secrets are shared.
 */
export class Cluster {
  readonly nodes: ClusterProcess[] = [];
  readonly workers: ClusterProcess[] = [];
  readonly adminToken = newTokenText({ randomBytes });
  readonly #samples = mkdtempSync(join(tmpdir(), 'rapsheet-cluster-'));
  readonly #settings: Readonly<Record<string, string>>;
  readonly #installations: TestInstallation[] = [];

  constructor(databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
    this.#settings = {
      RAPSHEET_DATABASE_URL: databaseUrl,
      RAPSHEET_SAMPLES_URL: `file:${this.#samples}`,
      RAPSHEET_SECRET_KEY: randomBytes(32).toString('hex'),
      RAPSHEET_ADMIN_TOKEN: this.adminToken,
      RAPSHEET_LOG_LEVEL: 'error',
      ...settings,
    };
  }

  /**
   * Starts all processes at once, as after a power cut. `nodeSettings` are those of single nodes,
   * such as another address of the database.
   */
  async start(
    count: { readonly nodes: number; readonly workers: number },
    nodeSettings: readonly Readonly<Record<string, string>>[] = [],
  ): Promise<void> {
    const nodes = Array.from({ length: count.nodes }, (_, index) =>
      this.#startNode(nodeSettings[index]),
    );
    const workers = Array.from({ length: count.workers }, () => this.#startWorker());
    this.nodes.push(...(await Promise.all(nodes)));
    this.workers.push(...(await Promise.all(workers)));
  }

  /** A client of a node. Without retries: a test sees every response. */
  client(node: number, token = this.adminToken): RapsheetClient {
    const url = this.urls[node] ?? '';
    return new RapsheetClient({ url, token, retries: 0, timeoutMs: TIMEOUT_MS });
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url);
  }

  async close(): Promise<void> {
    await Promise.all(this.#installations.map((installation) => installation.close()));
    rmSync(this.#samples, { recursive: true });
  }

  async #startNode(settings: Readonly<Record<string, string>> = {}): Promise<ClusterProcess> {
    const installation = this.#newInstallation();
    const start = () => installation.server({ ...this.#settings, ...settings });
    let server: TestServer = await start();
    const member: ClusterProcess = {
      url: server.url,
      signal: (name) => void process.kill(server.pid, name),
      kill: async () => void (await server.end('SIGKILL')),
      restart: async () => {
        server = await start();
        member.url = server.url;
      },
    };
    return member;
  }

  async #startWorker(): Promise<ClusterProcess> {
    const installation = this.#newInstallation();
    const start = async () => {
      const child = installation.start(['worker'], {
        ...this.#settings,
        RAPSHEET_ANALYSIS_WORKERS: '1',
      });
      child.stdout.resume();
      await waitForOutput(child, /Analysing samples/);
      return child;
    };
    let child = await start();
    return {
      url: '',
      signal: (name) => void child.kill(name),
      kill: async () => {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      },
      restart: async () => {
        child = await start();
      },
    };
  }

  #newInstallation(): TestInstallation {
    const installation = new TestInstallation();
    this.#installations.push(installation);
    return installation;
  }
}
