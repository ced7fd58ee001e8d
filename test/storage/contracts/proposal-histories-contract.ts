import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Proposal } from '../../../src/ports/proposal-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { ProposalsRig, type Researcher } from './proposals-rig.ts';
import { randomNumbers } from './statistics/feed-contract.ts';
import { audit } from './store-contract.ts';

/** The last but one has no service, and nobody can answer for the last. */
const HOSTS = ['a', 'b', 'c', 'd', 'unclaimed.invalid', '10.0.0.1'];
const STEPS = 60;
/** To a report of a proposal in that state. */
const ANSWERS = { open: 'created', reported: 'replayed', dismissed: 'proposal-dismissed' } as const;

/** What must be stored of one file after a history. */
class Model {
  /** By account: the state of each label. */
  readonly #states = new Map<string, Map<string, string>>();
  #named: readonly string[] | undefined;

  of(account: string): Map<string, string> | undefined {
    return this.#states.get(account);
  }

  upload(account: string): void {
    if (!this.#states.has(account)) this.#states.set(account, new Map());
    this.#follow();
  }

  analyse(hosts: readonly string[]): void {
    this.#named = hosts
      .filter((host) => host !== '10.0.0.1')
      .map((host) => host.split('.')[0] ?? '');
    this.#follow();
  }

  decide(account: string, { c2 }: Pick<Proposal, 'c2'>, state: string): void {
    this.#states.get(account)?.set(c2.host.split('.')[0] ?? '', state);
  }

  purge(): void {
    this.#states.clear();
    this.#named = undefined;
  }

  #follow(): void {
    if (this.#named === undefined) return;
    for (const states of this.#states.values()) {
      for (const [label, state] of states)
        if (state === 'open' && !this.#named.includes(label)) states.delete(label);
      for (const label of this.#named) if (!states.has(label)) states.set(label, 'open');
    }
  }
}

/** Random uploads, analyses and decisions about one file. */
class RandomHistory {
  readonly #rig: ProposalsRig;
  readonly #accounts: readonly Researcher[];
  readonly #random: (below: number) => number;
  readonly #model = new Model();
  #file: ReturnType<ProposalsRig['file']>;

  constructor(rig: ProposalsRig, accounts: readonly Researcher[], seed: number) {
    this.#rig = rig;
    this.#accounts = accounts;
    this.#random = randomNumbers(seed);
    this.#file = rig.file();
  }

  async step(): Promise<void> {
    const by = this.#accounts[this.#random(this.#accounts.length)] ?? assert.fail();
    const choice = this.#random(20);
    if (choice < 6) await this.#upload(by);
    else if (choice < 11) await this.#analyse();
    else if (choice < 15) await this.#report(by);
    else if (choice < 19) await this.#dismiss(by);
    else await this.#purge();
  }

  async check(): Promise<void> {
    for (const account of this.#accounts) {
      const expected = [...(this.#model.of(account.id) ?? [])];
      assert.deepEqual(
        await this.#rig.states(account),
        expected.map(([label, state]) => `${label} ${state}`).sort(),
      );
    }
  }

  async #upload(by: Researcher): Promise<void> {
    await this.#rig.upload(this.#file, by);
    this.#model.upload(by.id);
  }

  /** Only what was uploaded is analysed. */
  async #analyse(): Promise<void> {
    const { sha256 } = this.#file;
    const { state } = await this.#rig.store.samples.status({ hex: sha256, kinds: ['sha256'] });
    if (state === 'unknown') return;
    const hosts = HOSTS.filter(() => this.#random(2) === 0);
    await this.#rig.analyse(this.#file, hosts);
    this.#model.analyse(hosts);
  }

  async #report(by: Researcher): Promise<void> {
    const one = await this.#proposalOf(by);
    if (one === undefined) return;
    const { kind } = await this.#rig.report(one, by);
    assert.equal(kind, ANSWERS[one.state]);
    if (one.state === 'open') this.#model.decide(by.id, one, 'reported');
  }

  async #dismiss(by: Researcher): Promise<void> {
    const one = await this.#proposalOf(by);
    if (one === undefined) return;
    const outcome = await this.#rig.dismiss(one, by);
    assert.equal(outcome === 'reported', one.state === 'reported');
    if (outcome !== 'reported') this.#model.decide(by.id, one, 'dismissed');
  }

  /** The file cannot be uploaded again. */
  async #purge(): Promise<void> {
    await this.#rig.store.samples.purge(this.#file.sha256, 'asked for', audit);
    this.#file = this.#rig.file();
    this.#model.purge();
  }

  async #proposalOf(by: Researcher): Promise<Proposal | undefined> {
    const found = await this.#rig.list(by, { sha256: this.#file.sha256 });
    return found[this.#random(found.length)];
  }
}

/** Random histories, compared with a model after each step. */
export function proposalHistoriesContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} proposals after a random history`, () => {
    let rig: ProposalsRig;
    before(async () => {
      rig = await ProposalsRig.in(await open());
    });
    after(() => rig.store.close());

    for (const seed of [1, 2, 3])
      it(`are those of its model (seed ${seed})`, async () => {
        const [one, two] = [await rig.researcher(), await rig.researcher()];
        const history = new RandomHistory(rig, [one, two, await rig.researcher()], seed);
        for (let step = 0; step < STEPS; step += 1) {
          await history.step();
          await history.check();
        }
      });
  });
}
