import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { RapsheetClient } from '../../src/client/client.ts';
import type { ReportPage } from '../../src/client/wire.ts';
import { fetchScript } from '../../test/exports/fetch-script.ts';
import { freePort } from '../../test/free-port.ts';
import { type DemoResult, Site } from '../browser/site.ts';
import { installNpmPackages, PYTHON } from './sources.ts';

const execute = promisify(execFile);

/** The feed with C2s that every block list contains: names, IPv4 and IPv6 addresses. */
export const FEED = 'clients';
/** A feed of the demo, with reports of every status, deleted ones and many tags. */
export const DEMO_FEED = 'ply';
const REPORTS = 36;

export type Report = ReportPage['reports'][number];

export interface C2 {
  readonly host: string;
  readonly port: number;
  readonly kind: 'name' | 'ipv4' | 'ipv6';
}

interface ExecuteOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A server with a demo store, and what clients need to read from it. */
export class Trial {
  readonly folder = mkdtempSync(join(tmpdir(), 'rapsheet-clients-'));
  readonly metricsPort: number;
  readonly #site: Site;
  #demo: DemoResult | undefined;

  private constructor(metricsPort: number) {
    this.metricsPort = metricsPort;
    this.#site = new Site({
      RAPSHEET_METRICS_PORT: String(metricsPort),
      RAPSHEET_COMPAT_WEBSOCKET: '1',
    });
  }

  static async open(): Promise<Trial> {
    const trial = new Trial(await freePort());
    try {
      trial.#demo = await trial.#site.fillWithDemo();
      await trial.#site.start();
      await trial.#createFeed();
    } catch (error) {
      await trial.close();
      throw error;
    }
    return trial;
  }

  async close(): Promise<void> {
    await this.#site.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get url(): string {
    return this.#site.url;
  }

  get demo(): DemoResult {
    if (this.#demo === undefined) throw new Error('the store is empty');
    return this.#demo;
  }

  /** Of a researcher. */
  get token(): string {
    return this.tokenOf('alice');
  }

  /** Of an account of the demo. */
  tokenOf(account: string): string {
    return this.demo.accounts.find(({ name }) => name === account)?.token ?? '';
  }

  get client(): RapsheetClient {
    return new RapsheetClient({ url: this.url, token: this.token });
  }

  async #createFeed(): Promise<void> {
    const admin = new RapsheetClient({ url: this.url, token: this.#site.adminToken() });
    await admin.addService({ slug: FEED });
    const lines = Array.from({ length: REPORTS }, (_, number) => {
      const c2Address = [`m${number}.evil.example`, `45.7.0.${number}`, `[2a01:7:${number}::5]`][
        number % 3
      ];
      const file256Hash = number.toString(16).padStart(64, 'ab');
      return `${JSON.stringify({ c2Address: `${c2Address}:${4000 + number}`, file256Hash, tags: ['asyncrat', 'rat'] })}\n`;
    });
    for await (const { line, id } of await this.client.createReports(FEED, lines.join('')))
      if (id === undefined) throw new Error(`report ${line} was not created`);
  }

  /** All reports of a feed, as the list of the API has them. */
  async reports(feed: string): Promise<readonly Report[]> {
    const reports: Report[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page: ReportPage = await this.client.listReports(feed, { limit: 1000, cursor });
      reports.push(...page.reports);
      cursor = page.nextCursor;
    }
    return reports;
  }

  /** The C2s of `FEED`. */
  async c2s(...kinds: readonly C2['kind'][]): Promise<readonly C2[]> {
    const all = (await this.reports(FEED)).map(({ c2Address }) => c2Of(c2Address));
    return kinds.length === 0 ? all : all.filter(({ kind }) => kinds.includes(kind));
  }

  exportUrl(format: string, feed: string = FEED): string {
    return `${this.url}/feed/${feed}/export/${format}`;
  }

  /** Fetches an export with the script of the documentation. Returns the name of the file. */
  async fetch(format: string, feed: string = FEED): Promise<string> {
    const script = this.file('rapsheet-fetch', fetchScript());
    const header = this.file('header', `Authorization: Bearer ${this.token}\n`);
    chmodSync(script, 0o700);
    const name = join(this.folder, `${feed}-${format.replaceAll(/[^a-z0-9]+/g, '-')}.export`);
    // With 2 the script says that the file is unchanged.
    await this.execute(
      'sh',
      ['-c', '"$@" || [ $? = 2 ]', 'sh', script, this.exportUrl(format, feed), name],
      {
        env: { RAPSHEET_HEADER: header },
      },
    );
    return name;
  }

  /** Fetches an export with curl, for formats without an end mark. Returns the name of the file. */
  async download(format: string, feed: string = FEED): Promise<string> {
    // Some programs read only files whose name ends so.
    const ending = /^(?:stix|xarf)/.test(format) ? 'json' : 'export';
    const name = join(this.folder, `${feed}-${format.replaceAll(/[^a-z0-9]+/g, '-')}.${ending}`);
    const header = `Authorization: Bearer ${this.token}`;
    await this.execute('curl', ['-sSf', '-H', header, '-o', name, this.exportUrl(format, feed)]);
    return name;
  }

  /** The body of a GET, read by this process. */
  async read(path: string): Promise<string> {
    const response = await fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${this.token}` },
    });
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
    return response.text();
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  emptyFolder(name: string): string {
    const path = join(this.folder, name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    return path;
  }

  /** Runs a program to its end and returns what it prints. */
  async execute(
    file: string,
    args: readonly string[],
    { cwd = this.folder, env = {} }: ExecuteOptions = {},
  ): Promise<string> {
    const running = execute(file, [...args], {
      cwd,
      env: { ...this.environment(), ...env },
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    running.child.stdin?.end();
    return (await running).stdout;
  }

  /** Administration tools are not in the path of every account. Nothing may go through a proxy. */
  environment(): Record<string, string> {
    return {
      HOME: this.folder,
      NO_PROXY: '*',
      PATH: [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter),
      RAPSHEET_TOKEN: this.token,
      RAPSHEET_URL: this.url,
    };
  }

  /** Runs a script in Python that prints JSON: one of `python/`, or one with a path. */
  async python(script: string, ...args: readonly string[]): Promise<unknown> {
    const path = resolve(import.meta.dirname, 'python', script);
    return JSON.parse(await this.execute(PYTHON, [path, ...args]));
  }

  /** Runs one of the scripts of `node/`, which prints JSON, beside the installed packages. */
  async node(name: string, ...args: readonly string[]): Promise<unknown> {
    const script = join(installNpmPackages(), name);
    copyFileSync(join(import.meta.dirname, 'node', name), script);
    return JSON.parse(await this.execute(process.execPath, [script, ...args]));
  }

  /** The lines of a file without comments. */
  lines(file: string, commentSign = '#'): readonly string[] {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith(commentSign));
  }
}

function c2Of(address: string): C2 {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replaceAll(/[[\]]/g, '');
  const kind = host.includes(':') ? 'ipv6' : /^[0-9.]+$/.test(host) ? 'ipv4' : 'name';
  return { host, port: Number(address.slice(colon + 1)), kind };
}
