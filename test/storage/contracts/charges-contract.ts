import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { QuotaPeriod } from '../../../src/domain/accounts/quota.ts';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { AccountUsage, DayCharge } from '../../../src/ports/account-usage.ts';
import type { BatchCharge } from '../../../src/ports/sample-store.ts';
import type { NewAccount, Store } from '../../../src/ports/store.ts';
import { DAY_MS, HOUR_MS, later } from './feed-rig.ts';
import { audit, hex, NOW, newAccount, newSample, newToken } from './store-contract.ts';

const ALL = { from: '2000-01-01', to: '9', limit: 10_000 };
const hashes = (count: number) => Array.from({ length: count }, () => parseFileHash(hex(32)));
const day = (date: Date) => date.toISOString().slice(0, 10);

interface Payer {
  readonly account: NewAccount;
  /** The last one is none: a session from a sign-in link. */
  readonly tokens: readonly (string | undefined)[];
}

/** What units are charged for. */
export function chargesContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} charges`, () => {
    let store: Store;
    /** An analysis that is charged when it is read. */
    const large = newSample({
      tags: Array.from({ length: 9 }, () => ({ heat: 1, name: 'ü'.repeat(1000) })),
    });
    before(async () => {
      store = await open();
      await store.samples.putAll([large], NOW);
    });
    after(() => store.close());

    async function payer(limit: number, period: QuotaPeriod = 'none'): Promise<Payer> {
      const [first, second] = [newToken({ label: 'first' }), newToken({ label: 'second' })];
      const account = newAccount({ quota: { limit, period } });
      await store.accounts.add(account, first, audit);
      await store.tokens.issue(account.id, second, audit);
      return { account, tokens: [first.id, second.id, undefined] };
    }

    async function lookUpWithEach(
      { account, tokens }: Payer,
      now: Date,
      operation?: 'lookup' | 'details',
    ): Promise<void> {
      const call = { accountId: account.id, hash: undefined, now, ...(operation && { operation }) };
      for (const tokenId of tokens) await store.samples.lookUp({ ...call, tokenId });
    }

    const usageOf = ({ account }: Payer) => store.accounts.usage(account.id, ALL);

    it('are listed per token and operation, newest day first', async () => {
      const { account, tokens } = await payer(100);
      const [tokenId, other] = tokens;
      const accountId = account.id;
      const [hash] = hashes(1);
      const next = later(DAY_MS);
      await Promise.all([
        store.samples.lookUp({ accountId, tokenId, hash, now: NOW }),
        store.samples.lookUp({ accountId, tokenId, hash, now: NOW }),
        store.samples.lookUp({ accountId, tokenId: other, hash, now: NOW }),
        store.samples.lookUp({ accountId, hash, now: NOW }),
        store.samples.lookUp({ accountId, tokenId, hash, now: NOW, operation: 'details' }),
        store.samples.lookUpMany({ accountId, tokenId, hashes: hashes(7), now: NOW }),
        store.samples.similar({ accountId, tokenId: other, to: undefined, limit: 1, now: NOW }),
      ]);
      await store.samples.lookUp({ accountId, tokenId, hash, now: later(HOUR_MS) });
      await store.samples.lookUp({ accountId, tokenId, hash, now: next });
      await store.tokens.revoke(tokenId ?? '', undefined, audit);
      const { charges, days, itemisedAfter } = await store.accounts.usage(accountId, ALL);
      assert.equal(itemisedAfter, '');
      assert.deepEqual(days, [
        { day: day(NOW), units: 14 },
        { day: day(next), units: 1 },
      ]);
      assert.equal(charges[0]?.day, day(next));
      const shown = charges.map(({ token, operation, units }) => [token?.label, operation, units]);
      assert.deepEqual(shown.toSorted(), [
        [undefined, 'lookup', 1],
        ['first', 'batch', 7],
        ['first', 'details', 1],
        ['first', 'lookup', 1],
        ['first', 'lookup', 3],
        ['second', 'lookup', 1],
        ['second', 'similar', 1],
      ]);
      const busiest = charges.find(({ units }) => units === 3);
      assert.deepEqual([busiest?.firstAt, busiest?.lastAt], [NOW, later(HOUR_MS)]);
    });

    it('are read in pages that miss none, within the given days', async () => {
      const one = await payer(100);
      const accountId = one.account.id;
      for (const days of [0, 1, 2]) {
        await lookUpWithEach(one, later(days * DAY_MS));
        await lookUpWithEach(one, later(days * DAY_MS), 'details');
      }
      const expected = (await usageOf(one)).charges;
      assert.equal(expected.length, 18);
      const read: DayCharge[] = [];
      for (;;) {
        const last = read.at(-1);
        const position = last && { ...last, tokenId: last.tokenId ?? '' };
        const page = await store.accounts.usage(accountId, { ...ALL, after: position, limit: 4 });
        if (page.charges.length === 0) break;
        read.push(...page.charges);
      }
      assert.deepEqual(read, expected);
      const [from, to] = [day(later(DAY_MS)), day(later(DAY_MS))];
      const middle = await store.accounts.usage(accountId, { from, to, limit: 100 });
      assert.deepEqual(middle.days, [{ day: from, units: 6 }]);
      assert.deepEqual(middle.charges, expected.slice(6, 12));
    });

    it('are none for lookups that are refused, and those of the first lookups that are served', async () => {
      const one = await payer(3);
      const accountId = one.account.id;
      const [first, second] = one.tokens;
      const ask = (tokenId: string | undefined) =>
        store.samples.lookUp({ accountId, tokenId, hash: undefined, now: NOW });
      const answers = await Promise.all([first, second, first, second, second].map(ask));
      const served = answers.filter((answer) => answer.served).length;
      assert.equal(served, 3);
      const { charges } = await usageOf(one);
      assert.equal(sumOf(charges), 3);
      const refused = { accountId, tokenId: first, hashes: hashes(2), now: NOW };
      assert.equal((await store.samples.lookUpMany(refused)).served, false);
      assert.equal(sumOf((await usageOf(one)).charges), 3);
    });

    it('are taken back from their row by a refund, even after midnight', async () => {
      const one = await payer(100, 'day');
      const accountId = one.account.id;
      const [tokenId] = one.tokens;
      const kept = { accountId, tokenId, hashes: hashes(2), now: NOW };
      await store.samples.lookUpMany(kept);
      const { charge } = await store.samples.lookUpMany({ ...kept, hashes: hashes(5) });
      const next = later(DAY_MS);
      await store.samples.lookUpMany({ ...kept, now: next });
      await store.samples.refund(charge ?? assert.fail('nothing was charged'));
      const { days, charges } = await usageOf(one);
      assert.deepEqual(days, [
        { day: day(NOW), units: 2 },
        { day: day(next), units: 2 },
      ]);
      assert.deepEqual(
        charges.map((entry) => [entry.day, entry.units]),
        [
          [day(next), 2],
          [day(NOW), 2],
        ],
      );
      assert.equal((await store.accounts.find(accountId, next))?.quota.remaining, 98);
    });

    it('are deleted with the units of their day, some at a time', async () => {
      const one = await payer(100);
      for (const days of [0, 1, 2]) await lookUpWithEach(one, later(days * DAY_MS));
      const limit = day(later(2 * DAY_MS));
      const before = async () =>
        (await usageOf(one)).charges.filter((charge) => charge.day < limit).length;
      assert.equal(await before(), 6);
      await store.accounts.deleteOldDays(limit, 1);
      while ((await store.accounts.deleteOldDays(limit, 2)) > 0) await findNothing(store);
      assert.equal(await before(), 0);
      assert.deepEqual((await usageOf(one)).days, [{ day: limit, units: 3 }]);
      assert.equal(sumOf((await usageOf(one)).charges), 3);
    });

    for (const period of ['none', 'day'] as const)
      it(`add up to the units and the quota after any history, with the period ${period}`, async () => {
        const jumps =
          period === 'none' ? [...CLOCK_STEPS, 400 * DAY_MS, -400 * DAY_MS] : CLOCK_STEPS;
        await fc.assert(
          fc.asyncProperty(
            fc.array(stepOf(jumps), { minLength: 1, maxLength: 30 }),
            async (steps) => {
              const one = await payer(150, period);
              const history = new History(store, one, large.sha256);
              for (const step of steps) await history.run(step);
              const usage = await usageOf(one);
              assert.deepEqual(unitsOf(usage), sumsOf(usage));
              assert.deepEqual(history.totals, totalsOf(usage.charges));
              await history.checkQuota(period, usage);
            },
          ),
          { numRuns: 40, seed: 7 },
        );
        await findNothing(store);
      });
  });
}

const CLOCK_STEPS = [HOUR_MS, 13 * HOUR_MS, DAY_MS, 3 * DAY_MS, -2 * HOUR_MS];

type Step =
  | { readonly kind: 'lookups'; readonly tokens: readonly number[]; readonly isLarge: boolean }
  | { readonly kind: 'batch'; readonly token: number; readonly count: number }
  | { readonly kind: 'similar' | 'details' | 'large'; readonly token: number }
  | { readonly kind: 'refund'; readonly which: number }
  | { readonly kind: 'clock'; readonly ms: number };

function stepOf(jumps: readonly number[]): fc.Arbitrary<Step> {
  const token = fc.nat({ max: 2 });
  return fc.oneof(
    fc.record({
      kind: fc.constant('lookups' as const),
      tokens: fc.array(token, { minLength: 1, maxLength: 6 }),
      isLarge: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('batch' as const),
      token,
      count: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ kind: fc.constantFrom('similar', 'details', 'large' as const), token }),
    fc.record({ kind: fc.constant('refund' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('clock' as const), ms: fc.constantFrom(...jumps) }),
  );
}

/** Runs steps on one account and counts what was served. */
class History {
  readonly totals: Record<string, number> = {};
  readonly #store: Store;
  readonly #payer: Payer;
  readonly #large: string;
  readonly #charges: { readonly token: number; readonly charge: BatchCharge }[] = [];
  #now = NOW;

  constructor(store: Store, payer: Payer, large: string) {
    this.#store = store;
    this.#payer = payer;
    this.#large = large;
  }

  async run(step: Step): Promise<void> {
    const { samples } = this.#store;
    switch (step.kind) {
      case 'clock':
        this.#now = new Date(this.#now.getTime() + step.ms);
        return;
      case 'refund': {
        const [chosen] = this.#charges.splice(step.which % Math.max(this.#charges.length, 1), 1);
        if (chosen === undefined) return;
        await samples.refund(chosen.charge);
        this.#count('batch', chosen.token, -(chosen.charge.ofWindow + chosen.charge.ofExtra));
        return;
      }
      case 'batch': {
        const { token } = step;
        const found = await samples.lookUpMany({
          ...this.#call(token),
          hashes: hashes(step.count),
        });
        if (found.charge === undefined) return;
        this.#count('batch', token, step.count);
        this.#charges.push({ token, charge: found.charge });
        return;
      }
      case 'lookups':
        await Promise.all(
          step.tokens.map((token, index) => this.#lookUp(token, step.isLarge && index % 2 === 0)),
        );
        return;
      default:
        await this.#runOne(step.kind, step.token);
    }
  }

  async checkQuota(period: QuotaPeriod, usage: AccountUsage): Promise<void> {
    const id = this.#payer.account.id;
    const remaining = (await this.#store.accounts.find(id, this.#now))?.quota.remaining ?? 0;
    const units = unitsOf(usage);
    // The clock may be one day behind that of the last charge.
    const current = usage.days.map((one) => one.day).filter((one) => one >= day(this.#now));
    const used =
      period === 'none'
        ? Object.values(units).reduce((sum, count) => sum + count, 0)
        : current.reduce((sum, one) => sum + (units[one] ?? 0), 0);
    assert.equal(150 - remaining, used);
  }

  async #runOne(kind: 'similar' | 'details' | 'large', token: number): Promise<void> {
    const { samples } = this.#store;
    const call = this.#call(token);
    if (kind === 'similar') {
      const { served } = await samples.similar({ ...call, to: undefined, limit: 1 });
      if (served) this.#count('similar', token, 1);
    } else if (kind === 'details') {
      const hash = parseFileHash(this.#large);
      const asked = { ...call, hash, operation: kind, isForDetails: true };
      if ((await samples.lookUp(asked)).served) this.#count('details', token, 1);
    } else {
      const { served } = await samples.lookUpLarge({ ...call, key: 1 });
      if (served) this.#count('lookup', token, 1);
    }
  }

  async #lookUp(token: number, isLarge: boolean): Promise<void> {
    const hash = isLarge ? parseFileHash(this.#large) : undefined;
    const found = await this.#store.samples.lookUp({ ...this.#call(token), hash });
    // A large analysis is charged when it is read.
    if (found.served && found.large === undefined) this.#count('lookup', token, 1);
  }

  #call(token: number) {
    const { account, tokens } = this.#payer;
    return { accountId: account.id, tokenId: tokens[token], now: this.#now };
  }

  #count(operation: string, token: number, units: number): void {
    const key = `${operation} ${this.#payer.tokens[token]}`;
    const total = (this.totals[key] ?? 0) + units;
    if (total === 0) delete this.totals[key];
    else this.totals[key] = total;
  }
}

const sumOf = (charges: readonly DayCharge[]) => charges.reduce((sum, { units }) => sum + units, 0);

const unitsOf = ({ days }: AccountUsage): Record<string, number> =>
  Object.fromEntries(days.filter(({ units }) => units !== 0).map((one) => [one.day, one.units]));

function sumsOf({ charges }: AccountUsage): Record<string, number> {
  return addUp(charges, (charge) => charge.day);
}

function totalsOf(charges: readonly DayCharge[]): Record<string, number> {
  return addUp(charges, ({ operation, tokenId }) => `${operation} ${tokenId}`);
}

function addUp(charges: readonly DayCharge[], keyOf: (charge: DayCharge) => string) {
  const sums: Record<string, number> = {};
  for (const charge of charges) {
    assert.ok(charge.units >= 0, 'no charge is below zero');
    if (charge.units > 0) sums[keyOf(charge)] = (sums[keyOf(charge)] ?? 0) + charge.units;
  }
  return sums;
}

async function findNothing(store: Store): Promise<void> {
  const check = store.examination.checks.find((one) => one.name === 'charges of accounts');
  assert.ok(check);
  for await (const { wrong } of check.run()) assert.deepEqual(wrong, []);
}
