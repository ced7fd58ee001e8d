import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../test/free-port.ts';

const ENTRY = fileURLToPath(new URL('../../bin/program.js', import.meta.url));
const run = promisify(execFile);

/** The result of `rapsheet demo --json`. */
export interface DemoResult {
  readonly accounts: readonly { readonly name: string; readonly token: string }[];
  readonly links: readonly { readonly account: string; readonly link: string }[];
  readonly reports: readonly {
    readonly id: string;
    readonly service: string;
    readonly sha256: string;
  }[];
}

type Settings = Readonly<Record<string, string>>;

/** A server with a data folder of its own, as a user starts it. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'rapsheet-site-'));
  readonly #settings: Settings;
  #server: ChildProcess | undefined;
  /** Chosen before the first command: the links in the store contain it. */
  #port: number | undefined;

  constructor(settings: Settings = {}) {
    this.#settings = settings;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Runs a command of the program on the data folder. */
  async command(...words: readonly string[]): Promise<string> {
    const options = { env: await this.#environment(), maxBuffer: 64 * 1024 * 1024 };
    return (await run(process.execPath, [ENTRY, ...words], options)).stdout;
  }

  async fillWithDemo(): Promise<DemoResult> {
    return JSON.parse(await this.command('demo', '--json'));
  }

  /** The token of `admin`; a first start or the demo creates it. */
  adminToken(): string {
    return readFileSync(join(this.folder, 'admin-token'), 'utf8').trim();
  }

  async start(): Promise<void> {
    const server = spawn(process.execPath, [ENTRY, 'serve'], {
      env: await this.#environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#server = server;
    await hasStarted(server);
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server !== undefined && server.exitCode === null) {
      const exited = once(server, 'exit');
      server.kill('SIGTERM');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #environment(): Promise<NodeJS.ProcessEnv> {
    this.#port ??= await freePort();
    return {
      PATH: process.env['PATH'],
      RAPSHEET_DATA_DIR: this.folder,
      RAPSHEET_PORT: String(this.#port),
      RAPSHEET_METRICS_PORT: '0',
      ...this.#settings,
    };
  }
}

function hasStarted(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stderr?.setEncoding('utf8').on('data', (part: string) => {
      if (text.length < 100_000) text += part;
      if (/listens on http:/.test(text)) resolve();
    });
    server.once('exit', () => reject(new Error(`the server ended before it was ready:\n${text}`)));
  });
}
