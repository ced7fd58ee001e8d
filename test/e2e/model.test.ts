import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { sha256Of, wireAnalysis } from '../builders.ts';
import { Model } from './model.ts';
import { startServer } from './server-setup.ts';

const ACCOUNTS = ['alice', 'bob', 'desk', 'reader'] as const;
const FEEDS = ['one', 'two'] as const;
const FILES = ['f1', 'f2', 'f3'] as const;
const C2S = ['evil.example:1', '192.0.2.7:4444', '[2001:db8::7]:443'] as const;
const FAMILIES = ['LANTERN', 'TORCH'] as const;

const account = fc.constantFrom(...ACCOUNTS);
const feed = fc.constantFrom(...FEEDS);
const file = fc.constantFrom(...FILES);
/** Selects one of the reports created so far, deleted ones included. */
const pick = fc.nat({ max: 30 });

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      account,
      feed,
      file,
      c2: fc.constantFrom(...C2S),
      tags: fc.subarray(['rat', 'loader']),
      key: fc.option(fc.constantFrom('k1', 'k2')),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('fetch' as const), account, feed, pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), account, feed, pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('lookUp' as const),
      account,
      hash: fc.constantFrom(...FILES, 'absent', 'malformed'),
      calls: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('analyse' as const),
      file,
      family: fc.constantFrom(...FAMILIES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('topUp' as const),
      account,
      units: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('disable' as const), account, disabled: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renewToken' as const), account }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), pick }) },
);

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

let setup: Awaited<ReturnType<typeof startServer>>;
before(async () => {
  setup = await startServer();
});
after(() => setup.installation.close());

/** One run: its own feeds, accounts and files on the shared server, and their model. */
class Run {
  static #count = 0;
  /** Bad tokens are counted by address, so each run has its own. */
  readonly #clientAddress = { 'x-forwarded-for': `192.0.2.${Run.#count % 250}` };
  readonly prefix = `r${++Run.#count}`;
  readonly model = new Model();
  readonly tokens = new Map<string, { token: string; accountId: string }>();
  /** The ids of all reports; actions also select deleted ones. */
  readonly ids: string[] = [];

  async start(): Promise<void> {
    for (const slug of FEEDS) await setup.admin.addService({ slug: this.#feed(slug) });
    for (const name of ACCOUNTS) {
      const [researcher, owns] = [name !== 'reader', name === 'desk' ? ['one'] : []];
      const made = await setup.admin.addAccount({
        name: `${this.prefix} ${name}`,
        roles: researcher ? ['researcher'] : [],
        services: owns.map((slug) => this.#feed(slug)),
        quota: { limit: 5, period: 'none' },
      });
      this.tokens.set(name, { token: made.token, accountId: made.account.id });
      this.model.accounts.set(name, { name, researcher, owns, units: 5, disabled: false });
    }
  }

  async perform(action: Action): Promise<void> {
    // The method with the name of the action takes exactly that action.
    await (this[action.do] as (action: Action) => Promise<void>)(action);
  }

  async create(action: Extract<Action, { do: 'create' }>): Promise<void> {
    const body = JSON.stringify({
      c2Address: action.c2,
      file256Hash: this.#sha256(action.file),
      tags: action.tags,
    });
    const headers = action.key === null ? {} : { 'idempotency-key': action.key };
    const { status, json, replayed } = await this.#request(
      action.account,
      'POST',
      this.#path(action.feed),
      { body, headers },
    );
    const { disabled, researcher } = this.model.account(action.account);
    if (disabled) return assert.equal(status, 401);
    if (!researcher) return assert.equal(status, 403);
    const scope = `${action.account} ${action.feed} ${action.key}`;
    const earlier = action.key === null ? undefined : this.model.keys.get(scope);
    if (earlier !== undefined && earlier.body !== body) return assert.equal(status, 422);
    assert.equal(status, 201);
    assert.equal(replayed, earlier !== undefined);
    if (earlier !== undefined) return assert.equal(json.id, earlier.id);
    const firstSeen = this.model.firstSeen(action.feed, action.c2) ?? json.id;
    this.ids.push(json.id);
    this.model.add({
      id: json.id,
      feed: action.feed,
      c2: action.c2,
      file: action.file,
      tags: action.tags,
      by: action.account,
      firstSeen,
    });
    if (action.key !== null) this.model.keys.set(scope, { body, id: json.id });
  }

  async fetch(action: Extract<Action, { do: 'fetch' }>): Promise<void> {
    const id = this.#id(action.pick);
    const { status, json } = await this.#request(
      action.account,
      'GET',
      `${this.#path(action.feed)}?report=${id}`,
    );
    if (this.model.account(action.account).disabled) return assert.equal(status, 401);
    const report = this.model.find(action.feed, id);
    assert.equal(status, report === undefined ? 404 : 200);
    if (report !== undefined) this.#compare(report, json.report);
  }

  async delete(action: Extract<Action, { do: 'delete' }>): Promise<void> {
    const id = this.#id(action.pick);
    const { status } = await this.#request(
      action.account,
      'DELETE',
      `${this.#path(action.feed)}?report=${id}`,
    );
    const { disabled, owns } = this.model.account(action.account);
    if (disabled) return assert.equal(status, 401);
    const report = this.model.find(action.feed, id);
    if (report === undefined) return assert.equal(status, 404);
    const may = report.by === action.account || owns.includes(action.feed);
    assert.equal(status, may ? 200 : 403);
    if (may) this.model.remove(id);
  }

  async lookUp(action: Extract<Action, { do: 'lookUp' }>): Promise<void> {
    const hash = action.hash === 'malformed' ? 'nothex' : this.#sha256(action.hash);
    const calls = Array.from({ length: action.calls }, () =>
      this.#request(action.account, 'GET', `/private/sample/${hash}`),
    );
    const known = this.model.families.has(action.hash);
    const outcome = action.hash === 'malformed' ? 400 : known ? 200 : 404;
    const expected = calls.map(() => this.model.lookUp(action.account, outcome));
    const answers = await Promise.all(calls);
    assert.deepEqual(answers.map(({ status }) => status).sort(), expected.sort());
  }

  async analyse(action: Extract<Action, { do: 'analyse' }>): Promise<void> {
    const configs = { [action.family]: { C2s: 'evil.example' } };
    const line = JSON.stringify(wireAnalysis(`${this.prefix} ${action.file}`, { configs }));
    const imported = await setup.admin.importSamples(line);
    assert.equal(imported.refused, 0);
    this.model.analyse(action.file, action.family);
  }

  async topUp(action: Extract<Action, { do: 'topUp' }>): Promise<void> {
    await setup.admin.changeAccount(this.#account(action.account).accountId, {
      topUp: action.units,
    });
    this.model.account(action.account).units += action.units;
  }

  async disable(action: Extract<Action, { do: 'disable' }>): Promise<void> {
    await setup.admin.changeAccount(this.#account(action.account).accountId, {
      disabled: action.disabled,
    });
    this.model.account(action.account).disabled = action.disabled;
  }

  /** Replaces the token of an account; the old one must be refused. */
  async renewToken(action: Extract<Action, { do: 'renewToken' }>): Promise<void> {
    const { accountId, token: old } = this.#account(action.account);
    const issued = await setup.admin.issueAccountToken(accountId, { label: 'renewed' });
    const { tokens } = await setup.admin.listAccountTokens(accountId);
    for (const { id, revokedAt } of tokens) {
      if (id !== issued.id && revokedAt === null) await setup.admin.revokeAccountToken(id);
    }
    const answer = await fetch(`${setup.server.url}/api/balance`, {
      headers: { authorization: old, ...this.#clientAddress },
    });
    await answer.text();
    assert.equal(answer.status, 401);
    this.tokens.set(action.account, { accountId, token: issued.token });
  }

  async purge(action: Extract<Action, { do: 'purge' }>): Promise<void> {
    const id = this.#id(action.pick);
    const exists = this.model.reports.some((report) => report.id === id);
    const purged = await setup.admin.purgeReport(id, 'a mistake').then(
      () => true,
      () => false,
    );
    assert.equal(purged, exists);
    this.model.remove(id);
  }

  /** Compares all reports and balances, and the event sequences in the database. */
  async finish(): Promise<void> {
    for (const report of this.model.reports) {
      const path = `${this.#path(report.feed)}?report=${report.id}`;
      const { json } = await this.#request('admin', 'GET', path);
      this.#compare(report, json.report);
    }
    for (const [name, { units }] of this.model.accounts) {
      const { account } = await setup.admin.showAccount(this.#account(name).accountId);
      assert.equal(account.quota.remaining, units);
    }
    for (const slug of FEEDS) {
      const expected = Array.from(
        { length: this.model.changes.get(slug) ?? 0 },
        (_, index) => index + 1,
      );
      const events = await setup.installation.read(
        `select sequence from event join service on service.id = service_id where slug = '${this.#feed(slug)}' order by sequence`,
      );
      assert.deepEqual(
        events.map(({ sequence }) => Number(sequence)),
        expected,
      );
    }
  }

  #compare(report: Model['reports'][number], wire: Record<string, unknown>): void {
    assert.deepEqual(
      [
        wire['id'],
        wire['c2Address'],
        wire['file256Hash'],
        wire['tags'],
        wire['name'],
        wire['firstSeenID'],
        wire['reportedBy'],
      ],
      [
        report.id,
        report.c2,
        this.#sha256(report.file),
        report.tags,
        this.model.nameOf(report),
        report.firstSeen,
        `${this.prefix} ${report.by}`,
      ],
    );
  }

  async #request(
    name: string,
    method: string,
    path: string,
    { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
  ) {
    const token = name === 'admin' ? setup.adminToken : this.#account(name).token;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(setup.server.url + path, {
      method,
      headers: { authorization: token, ...this.#clientAddress, ...type, ...headers },
      ...(body !== undefined && { body }),
    });
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    return { status: answer.status, json: JSON.parse(await answer.text()), replayed };
  }

  #account(name: string) {
    return this.tokens.get(name) ?? assert.fail(`no account ${name}`);
  }

  #id(pick: number): string {
    return this.ids[pick % Math.max(this.ids.length, 1)] ?? '00000000-0000-7000-8000-000000000000';
  }

  #feed(slug: string): string {
    return `${this.prefix}-${slug}`;
  }

  #path(slug: string): string {
    return `/feed/${this.#feed(slug)}/api`;
  }

  #sha256(name: string): string {
    return sha256Of(`${this.prefix} ${name}`);
  }
}

for (const seed of [20261115, undefined]) {
  it(`agrees with the model over random sequences of actions by several accounts (${seed ?? 'a new seed'})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 60 }), async (actions) => {
        const run = new Run();
        await run.start();
        for (const one of actions) await run.perform(one);
        await run.finish();
      }),
      { numRuns: 12, ...(seed !== undefined && { seed }) },
    );
  });
}
