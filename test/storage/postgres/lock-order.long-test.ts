import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { FeedRig, later } from '../contracts/feed-rig.ts';
import { ProposalsRig, type Researcher } from '../contracts/proposals-rig.ts';
import { randomNumbers } from '../contracts/statistics/feed-contract.ts';
import { audit, hex, NOW } from '../contracts/store-contract.ts';
import { hold, type Nodes, openForEachTest } from './nodes.ts';

let nodes: Nodes;
openForEachTest((opened) => {
  nodes = opened;
});

const ROUNDS = 1200;
const CONCURRENCY = 24;
const LABELS = ['a', 'b', 'c', 'd'];

/** Everything that locks feeds, files, routes, accounts or counters, on few rows of each. */
class ContendedRig {
  readonly #nodes: readonly Store[];
  readonly #random = randomNumbers(7);
  readonly #rigs: readonly ProposalsRig[];
  readonly #files: readonly ReturnType<ProposalsRig['file']>[];
  readonly #researchers: readonly Researcher[];
  readonly feeds: readonly string[];
  readonly #created: NewReport[] = [];
  #steps = 0;

  private constructor(
    stores: readonly Store[],
    rigs: readonly ProposalsRig[],
    researchers: readonly Researcher[],
  ) {
    this.#nodes = stores;
    this.#rigs = rigs;
    this.#researchers = researchers;
    this.feeds = rigs.map(({ service }) => service);
    this.#files = Array.from({ length: 5 }, () => this.#pick(rigs).file());
  }

  static async on(stores: readonly Store[]): Promise<ContendedRig> {
    const [store] = stores;
    if (store === undefined) assert.fail('no node');
    const rigs = await Promise.all([1, 2, 3].map(() => ProposalsRig.in(store)));
    const [rig = assert.fail()] = rigs;
    const researchers = await Promise.all([1, 2, 3].map(() => rig.researcher()));
    return new ContendedRig(stores, rigs, researchers);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)] ?? assert.fail('nothing to pick from');
  }

  async step(): Promise<void> {
    const steps = [
      () => this.#create(),
      () => this.#create(),
      () => this.#createMany(),
      () => this.#analyse(),
      () => this.#analyse(),
      () => this.#upload(),
      () => this.#decide(),
      () => this.#setStatus(),
      () => this.#delete(),
      () => this.#changeService(),
      () => this.#checkOwnership(),
      () => this.#lookUp(),
      () => this.#keepHouse(),
      () => this.#keepHouse(),
    ];
    this.#steps += 1;
    await this.#pick(steps)();
  }

  get #at(): Date {
    return later(this.#steps * 1000);
  }

  #newReport() {
    const { id: reporterId, name: reportedBy } = this.#pick(this.#researchers);
    const rig = this.#pick(this.#rigs);
    return rig.feeds.report(this.#pick(this.feeds), {
      sha256: this.#pick(this.#files).sha256,
      c2: { host: rig.hostOf(this.#pick(LABELS)), port: 4444 },
      reporterId,
      reportedBy,
      reportedAt: this.#at,
    });
  }

  async #create(): Promise<void> {
    const report = this.#newReport();
    await this.#pick(this.#nodes).reports.create(report);
    this.#created.push(report);
  }

  async #createMany(): Promise<void> {
    const reports = Array.from({ length: 6 }, () => this.#newReport());
    await this.#pick(this.#nodes).feeds.createMany(reports);
  }

  async #analyse(): Promise<void> {
    const file = this.#pick(this.#files);
    const rig = this.#pick(this.#rigs);
    const c2s = LABELS.filter(() => this.#random(2) === 0).map((label) => ({
      host: rig.hostOf(label),
      port: 4444,
      family: 'LANTERN',
    }));
    const report = { ...file, fileName: `${this.#steps}.exe`, date: this.#at };
    const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
    const { samples } = this.#pick(this.#nodes);
    if (this.#random(5) === 0) await samples.putAll([report], this.#at);
    else await samples.finish({ report, details }, this.#at);
  }

  async #upload(): Promise<void> {
    const [file, by] = [this.#pick(this.#files), this.#pick(this.#researchers)];
    await this.#pick(this.#rigs).upload(file, by, 'a.exe', this.#at);
  }

  async #decide(): Promise<void> {
    const [rig, by] = [this.#pick(this.#rigs), this.#pick(this.#researchers)];
    const proposals = await rig.list(by, { state: 'open' });
    if (proposals.length === 0) return;
    const proposal = this.#pick(proposals);
    if (this.#random(2) === 0) await rig.dismiss(proposal, by, this.#at);
    else await rig.report(proposal, by);
  }

  async #setStatus(): Promise<void> {
    const rig = this.#pick(this.#rigs);
    const accountId = (await rig.feeds.account(rig.service)).id;
    const status = this.#pick(['open', 'acknowledged', 'actioned', 'rejected'] as const);
    const reason = status === 'rejected' ? 'false_positive' : undefined;
    await this.#pick(this.#nodes).feeds.setStatus(
      { service: rig.service, filter: {}, limit: 10 },
      { accountId, actor: 'desk', at: this.#at, status, reason, note: undefined },
    );
  }

  async #delete(): Promise<void> {
    const { feeds } = this.#pick(this.#rigs);
    if (this.#created.length > 0) await feeds.delete(this.#pick(this.#created), this.#at);
  }

  async #changeService(): Promise<void> {
    const [changed, other] = [this.#pick(this.#rigs), this.#pick(this.#rigs)];
    const hosts = [`*.${changed.suffix}`, `*.${other.suffix}`, other.hostOf('a')];
    const networks = [`10.${this.#random(9)}.0.0/${16 + this.#random(9)}`];
    await this.#pick(this.#nodes).services.change(
      changed.service,
      { hosts: [...new Set(hosts)], networks },
      audit,
    );
  }

  async #checkOwnership(): Promise<void> {
    const { service, suffix } = this.#pick(this.#rigs);
    const { ownership } = this.#pick(this.#nodes);
    await ownership.token(service, hex(8), NOW);
    await ownership.begin({ service, suffix, method: 'dns', now: this.#at, intervalMs: 0 });
    const problem = this.#random(2) === 0 ? undefined : ('other_token' as const);
    const check = { method: 'dns', problem, at: this.#at, chance: 0 } as const;
    await ownership.record({ service, suffix, check, isRequested: true }, audit);
    await ownership.leaseDue({ now: later(1e9), limit: 4, leaseMs: 0 });
  }

  async #lookUp(): Promise<void> {
    const { id: accountId, token } = this.#pick(this.#researchers);
    const hash = parseFileHash(this.#pick(this.#files).sha256);
    const now = later(this.#random(3) * 86_400_000);
    await this.#pick(this.#nodes).samples.lookUp({ accountId, tokenId: token.id, hash, now });
  }

  async #keepHouse(): Promise<void> {
    const { feeds, trust, accounts, proposals } = this.#pick(this.#nodes);
    const tasks = [
      () => feeds.reevaluateOld(this.#at, 20),
      () => feeds.reevaluateOld(this.#at, 20),
      () => feeds.reevaluatePending(this.#at, 10),
      () => feeds.changeRejectedReports(this.#at, 10),
      () => feeds.fillStatistics(20),
      () => feeds.fillStatistics(20),
      () => feeds.expire(later(95 * 86_400_000), 5),
      () => (this.#random(4) === 0 ? trust.restartCounting() : undefined),
      () => accounts.deleteOldDays('2026-08-27', 10),
      () => proposals.deleteOld(this.#at, 3),
    ];
    await this.#pick(tasks)();
  }
}

async function finishWork({ feeds }: Store): Promise<void> {
  const at = later(1e9);
  while ((await feeds.reevaluateOld(at, 100)) > 0);
  while ((await feeds.reevaluatePending(at, 100)) > 0);
  while ((await feeds.fillStatistics(100)) > 0);
}

/** What a create of each report would store now. */
async function checkReports({ samples, services }: Store): Promise<void> {
  const reports = await nodes.database.run(
    'select sha256, host, port::int, status, confirmation, routed_to from report',
  );
  assert.ok(reports.length > 100, `${reports.length} reports`);
  for (const report of reports) {
    const [sha256, host] = [String(report['sha256']), String(report['host'])];
    const c2 = { host, port: Number(report['port']) };
    const confirmation = (await samples.evidence(sha256, c2))?.confirmation ?? 'unknown';
    assert.equal(report['confirmation'], confirmation);
    const isOpen = ['open', 'acknowledged'].includes(String(report['status']));
    const route = (await services.route(host))?.service ?? null;
    if (isOpen) assert.equal(report['routed_to'], route);
  }
}

/** Reports expire here by a time ahead of the database, whose clock says when they are added. */
const EXPIRED_AHEAD = 'report, changed after it was added';

describe('units of work on PostgreSQL', () => {
  it('lock in one order: none deadlocks, and the store is consistent after them', async () => {
    const stores = [await nodes.add(), await nodes.add()] as const;
    const rig = await ContendedRig.on(stores);
    let remaining = ROUNDS;
    const run = async () => {
      while (remaining-- > 0) await rig.step();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, run));
    await finishWork(stores[0]);
    await checkReports(stores[0]);
    for (const check of stores[0].examination.checks)
      for await (const { wrong } of check.run())
        assert.deepEqual(
          wrong.filter((finding) => !finding.startsWith(EXPIRED_AHEAD)),
          [],
          check.name,
        );
    // Sessions report their counts to the server after a moment.
    await pause(1500);
    const [counted] = await nodes.database.run(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    assert.deepEqual(counted, { deadlocks: 0 });
  });

  it('count a report once that is created in a new feed while counting starts again', async () => {
    const store = await nodes.add();
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    await rig.create(feed);
    const holder = new pg.Client({ connectionString: nodes.database.url });
    const release = await hold(holder, `select 1 from service where slug = '${feed}' for update`);
    const recount = store.trust.restartCounting();
    await nodes.untilWaiting(1);
    const added = await rig.service();
    const created = rig.create(added);
    await nodes.untilWaiting(2);
    await release();
    await Promise.all([recount, created]);
    await finishWork(store);
    assert.equal((await store.trust.service(added, '2000-01-01')).statuses.open, 1);
  });
});
