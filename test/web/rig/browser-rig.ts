import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../../scripts/browser/chromium.ts';
import { RapsheetClient } from '../../../src/client/client.ts';
import type { AddAccountBody } from '../../../src/client/wire.ts';
import { wireAnalysis } from '../../builders.ts';
import { freePort } from '../../free-port.ts';
import { TestInstallation, type TestServer } from '../../installation.ts';
import { WAIT_MS, whyNoBrowser } from './browser.ts';
import { Person } from './person.ts';
import { newSession, type StorageState } from './session.ts';
import { watchSharedWorkers } from './worker-watch.ts';

/** Where screenshots of failed tests are kept. */
const SCREENSHOTS = join(tmpdir(), 'rapsheet-web-failures');

type Settings = Readonly<Record<string, string>>;

interface Account extends Omit<AddAccountBody, 'name'> {
  readonly name?: string;
  readonly colorScheme?: 'light' | 'dark';
  /** For tests that inject a script. */
  readonly bypassCSP?: boolean;
}

/**
 * The real server and a real browser, shared by the tests of a suite. People are made by a test and
 * leave after it; a test fails if anything unexpected happened on one of their pages.
 */
export class BrowserRig {
  readonly #settings: () => Promise<Settings>;
  readonly #people: Person[] = [];
  #installation: TestInstallation | undefined;
  /** Nothing else takes it while the server is restarted. */
  #port = 0;
  #server: TestServer | undefined;
  #browser: Browser | undefined;
  #accounts = 0;
  readonly #workerProblems: string[] = [];

  constructor(settings: () => Promise<Settings> = async () => ({})) {
    this.#settings = settings;
  }

  get url(): string {
    return this.#serving.url;
  }

  get installation(): TestInstallation {
    assert.ok(this.#installation);
    return this.#installation;
  }

  get adminToken(): string {
    return this.installation.adminToken;
  }

  get admin(): RapsheetClient {
    return this.clientOf(this.adminToken);
  }

  get #serving(): TestServer {
    assert.ok(this.#server, 'the server is not running');
    return this.#server;
  }

  /** Without retries: a test sees every answer. */
  clientOf(token: string, url = this.url): RapsheetClient {
    return new RapsheetClient({ url, token, retries: 0, timeoutMs: 4 * WAIT_MS });
  }

  async open(): Promise<void> {
    this.#installation = new TestInstallation();
    this.#port = await freePort();
    const [browser] = await Promise.all([launchChromium(), this.#startServer()]);
    this.#browser = browser;
    await watchSharedWorkers(browser, (problem) => this.#workerProblems.push(problem));
    const page = await (await fetch(`${this.url}/sign-in`)).text();
    assert.match(page, /\/assets\//, 'the web application is not built: run npm run prepare');
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#installation?.close();
  }

  /** Ends the server and returns a function that starts it again at the same address. */
  async stopServer(): Promise<() => Promise<void>> {
    await this.#serving.end('SIGTERM');
    return () => this.#startServer();
  }

  async #startServer(): Promise<void> {
    this.#server = await this.installation.server({
      RAPSHEET_PORT: String(this.#port),
      RAPSHEET_ANALYSIS_WORKERS: '1',
      ...(await this.#settings()),
    });
  }

  /** Stores the analysis of a file with this content, as if it had been uploaded. */
  async importAnalysis(content: string): Promise<void> {
    await this.admin.importSamples(`${JSON.stringify(wireAnalysis(content))}\n`);
  }

  /** An account and its browser, not yet signed in. */
  async stranger(account: Account = {}): Promise<Person> {
    return this.#enter(account, async () => undefined);
  }

  /** A person who is signed in. */
  async person(account: Account = {}): Promise<Person> {
    return this.#enter(account, (token) => newSession(this.url, token));
  }

  async #enter(
    { colorScheme = 'light', bypassCSP = false, ...account }: Account,
    sessionOf: (token: string) => Promise<StorageState | undefined>,
  ): Promise<Person> {
    assert.ok(this.#browser);
    this.#accounts += 1;
    const name = account.name ?? `person-${this.#accounts}`;
    const { token } = await this.admin.addAccount({ ...account, name });
    const storageState = await sessionOf(token);
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      colorScheme,
      bypassCSP,
      ...(storageState !== undefined && { storageState }),
    });
    context.setDefaultTimeout(WAIT_MS);
    const parts = { name, token, url: this.url, client: this.clientOf(token), context };
    const person = new Person(parts);
    this.#people.push(person);
    return person;
  }

  researcher(account: Account = {}): Promise<Person> {
    return this.person({ roles: ['researcher'], ...account });
  }

  /** Closes the browsers of the test's people. Fails if their pages had problems. */
  async leave(context: TestContext): Promise<void> {
    const people = this.#people.splice(0);
    const problems = people.flatMap(({ name, watch }) =>
      watch.problems.map((problem) => `${name}: ${problem}`),
    );
    problems.push(...this.#workerProblems.splice(0));
    if (!context.passed || problems.length > 0)
      for (const person of people) await keepScreenshots(person, context);
    for (const person of people) await person.context.close();
    assert.deepEqual(problems, []);
  }
}

async function keepScreenshots({ name, context: browser }: Person, context: TestContext) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [index, page] of browser.pages().entries()) {
    const title = `${context.name} ${name} ${index}`.replace(/[^\w-]+/g, '-');
    const path = join(SCREENSHOTS, `${title.slice(-120)}.png`);
    await page.screenshot({ path }).catch(() => undefined);
    context.diagnostic(`${page.url()} is shown in ${path}`);
  }
}

/** Opens a rig for the suite or the file that calls it. */
export function openBrowserRig(settings?: () => Promise<Settings>): BrowserRig {
  const rig = new BrowserRig(settings);
  before(async () => {
    if (whyNoBrowser === false) await rig.open();
  });
  afterEach((context) => rig.leave(context as TestContext));
  after(() => rig.close());
  return rig;
}
