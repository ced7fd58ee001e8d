import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { newTestDatabase, type TestDatabase } from './database.ts';
import { HostedCommands, type HostedOutcome } from './hosted-commands.ts';

const ENTRY = fileURLToPath(new URL('../src/cli/rapsheet.ts', import.meta.url));

const hosted = new HostedCommands();

export interface TestServer {
  readonly url: string;
  readonly pid: number;
  /** Sends the signal and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Waits until the process has ended by itself, and returns its exit code. */
  ended(): Promise<number | null>;
}

/** Load tests use a single account. */
const WITHOUT_LIMITS = {
  RAPSHEET_ACCOUNT_UPLOADS: '0',
  RAPSHEET_ACCOUNT_STREAMS: '0',
  RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '0',
  RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: '0',
};

/** A temporary data folder with its own store, in which tests run the real program. */
export class TestInstallation {
  readonly folder = mkdtempSync(join(tmpdir(), 'rapsheet-cli-'));
  readonly dataDir = join(this.folder, 'data');
  readonly configDir = join(this.folder, 'config');
  readonly #running = new Set<ChildProcess>();
  readonly #entry: string;
  #database: TestDatabase | undefined;

  /** By default the program of this checkout. */
  constructor(entry = ENTRY) {
    this.#entry = entry;
  }

  /** The settings of the data folder and the database, for another process that shares them. */
  get settings(): Readonly<Record<string, string>> {
    this.#database ??= newTestDatabase(this.dataDir);
    return { RAPSHEET_DATA_DIR: this.dataDir, ...this.#database.settings };
  }

  /** The token of the first account, which a server writes at its first start. */
  get adminToken(): string {
    return readFileSync(join(this.dataDir, 'admin-token'), 'utf8').trim();
  }

  /** Queries the database directly, even while a server runs. */
  async read(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    this.#database ??= newTestDatabase(this.dataDir);
    return await this.#database.read(sql);
  }

  start(words: readonly string[], settings: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [this.#entry, ...words], {
      cwd: this.folder,
      env: this.#environment(settings),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A program that has ended does not read its input; the exit code shows why.
    child.stdin.on('error', () => {});
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  /** The settings of the test run are not inherited. */
  #environment(settings: Readonly<Record<string, string>>) {
    return {
      PATH: process.env['PATH'],
      ...forCompiler(),
      // Not the profiles of the user who runs the tests.
      RAPSHEET_CONFIG_DIR: this.configDir,
      ...this.settings,
      ...settings,
    };
  }

  /**
   * Runs a command that ends by itself, in a process that runs the commands of all installations
   * one after the other.
   */
  run(words: readonly string[], { input = '', settings = {} } = {}): Promise<HostedOutcome> {
    const environment = this.#environment(settings);
    return hosted.run({ words, environment, folder: this.folder, input });
  }

  /** Runs a program in its own process until it ends. */
  async runAlone(words: readonly string[], { input = '', settings = {} } = {}) {
    const child = this.start(words, settings);
    child.stdin.end(input);
    const closed = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await closed;
    return { code, stdout, stderr };
  }

  /** The `--json` result of a command that must succeed. */
  async json(...words: readonly string[]) {
    const { code, stdout, stderr } = await this.run([...words, '--json']);
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  file(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** Starts the server on a free port and returns its URL. */
  async serve(): Promise<string> {
    return (await this.server()).url;
  }

  /** A server that the test ends itself. */
  async server(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
    const child = this.start(['serve'], {
      RAPSHEET_PORT: '0',
      RAPSHEET_METRICS_PORT: '0',
      // Workers take a moment to start; a test that uploads asks for one.
      RAPSHEET_ANALYSIS_WORKERS: '0',
      ...WITHOUT_LIMITS,
      ...settings,
    });
    child.stdout.resume();
    const [, url] = await waitForOutput(child, /listens on (http:\S+)/);
    return {
      url: String(url),
      pid: child.pid ?? 0,
      end: async (signal) => {
        await endOf(child, signal);
        return child.exitCode;
      },
      ended: async () => {
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        return child.exitCode;
      },
    };
  }

  async close(): Promise<void> {
    for (const child of this.#running) await endOf(child, 'SIGTERM');
    await this.#database?.drop();
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns at once if the process has already ended. */
async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Compiling once saves half of each start, but makes the measured coverage wrong. */
function forCompiler(): Record<string, string> {
  const { NODE_V8_COVERAGE } = process.env;
  return NODE_V8_COVERAGE === undefined
    ? { NODE_COMPILE_CACHE: join(tmpdir(), 'rapsheet-compile-cache') }
    : { NODE_V8_COVERAGE };
}

/**
 * Waits until the program prints a matching line to standard error, or ends. Only complete lines
 * count, because the last one may still be partial.
 */
export function waitForOutput(child: ReturnType<TestInstallation['start']>, pattern: RegExp) {
  return new Promise<RegExpExecArray>((resolve, reject) => {
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      const match = pattern.exec(output.slice(0, output.lastIndexOf('\n') + 1));
      if (match !== null) resolve(match);
    });
    child.once('close', () => reject(new Error(`the program ended, having printed: ${output}`)));
  });
}
