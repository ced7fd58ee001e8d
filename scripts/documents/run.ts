import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/free-port.ts';
import { until } from '../../test/until.ts';
import { type Block, type Page, ROOT } from './pages.ts';
import { PastedShell } from './shell.ts';

/** Not linked: the pages write into these. */
const COPIED = ['clients'];
const LEFT_OUT = ['.git', 'data', 'demo-data'];

/** The ports that the pages name. */
const PORTS = ['8080', '8081', '9464'];

/** A clone in which the pages are read, with its server and the shell of the reader. */
export class DocumentRun {
  readonly #home = mkdtempSync(join(tmpdir(), 'rapsheet-documents-'));
  readonly #folder = join(this.#home, 'clone');
  readonly #ports = new Map<string, number>();
  readonly #servers: ChildProcess[] = [];
  readonly #started = new Set<string>();
  #shell: PastedShell | undefined;
  #linked: readonly string[] = [];

  async open(): Promise<void> {
    mkdirSync(this.#folder);
    const names = readdirSync(ROOT).filter((name) => !LEFT_OUT.includes(name));
    for (const name of names)
      if (COPIED.includes(name)) cpSync(join(ROOT, name), this.#path(name), { recursive: true });
      else symlinkSync(join(ROOT, name), this.#path(name));
    this.#linked = names;
    for (const port of PORTS) this.#ports.set(port, await freePort());
    this.#shell = new PastedShell(this.#folder, this.#environment());
  }

  /** Runs the blocks of a page. Throws at the first command that fails. */
  async paste({ name, blocks }: Page): Promise<void> {
    const startedAt = performance.now();
    for (const block of blocks) await this.#run(name, block);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
    console.log(`${String(blocks.length).padStart(3)} blocks ${seconds} s  ${name}`);
  }

  /** What the pages write must not be offered to be committed. */
  checkFiles(): void {
    const others = readdirSync(this.#folder, { withFileTypes: true })
      .filter(({ name }) => !this.#linked.includes(name))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => !isIgnored(name));
    if (others.length > 0)
      throw new Error(`the pages write files that .gitignore does not list: ${others.join(', ')}`);
  }

  async close(): Promise<void> {
    await this.#shell?.close();
    for (const server of this.#servers) {
      if (server.exitCode !== null || server.pid === undefined) continue;
      const ended = once(server, 'exit');
      // npm starts the server as its child.
      process.kill(-server.pid, 'SIGTERM');
      await ended;
    }
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #run(page: string, { kind, text }: Block): Promise<void> {
    if (kind === 'other' || (kind === 'python' && !hasPython())) return;
    const commands = this.#withPorts(text);
    if (kind === 'server') await this.#start(commands);
    else await this.#shell?.paste(page, commands);
  }

  /** Starts a server unless an earlier page has. The packages are installed already. */
  async #start(commands: string): Promise<void> {
    const command = commands.replace('npm ci && ', '').trim();
    if (this.#started.has(command)) return;
    this.#started.add(command);
    const port = /RAPSHEET_PORT=(\d+)/.exec(command)?.[1] ?? this.#ports.get('8080');
    const server = spawn('bash', ['-c', command], {
      cwd: this.#folder,
      env: { RAPSHEET_PORT: String(port), ...this.#environment() },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    this.#servers.push(server);
    let log = '';
    server.stderr?.on('data', (text) => {
      log += text;
    });
    const isReady = async () => {
      if (server.exitCode !== null) throw new Error(`${command} ended: ${log}`);
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return answer?.ok === true;
    };
    await until(isReady, `${command} is ready`);
  }

  #withPorts(text: string): string {
    return [...this.#ports].reduce(
      (replaced, [port, free]) => replaced.replaceAll(port, String(free)),
      text,
    );
  }

  /** As on the machine of a newcomer: no setting, and a home without profiles. */
  #environment(): Record<string, string> {
    const kept = Object.entries(process.env).filter(([name]) =>
      /^(PATH|npm_config_\w+|PIP_\w+|.*_proxy)$/i.test(name),
    );
    return {
      ...(Object.fromEntries(kept) as Record<string, string>),
      HOME: this.#home,
      RAPSHEET_METRICS_PORT: String(this.#ports.get('9464')),
    };
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function isIgnored(name: string): boolean {
  const words = ['check-ignore', '--quiet', '--no-index', name];
  return spawnSync('git', words, { cwd: ROOT }).status === 0;
}

function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0;
}
