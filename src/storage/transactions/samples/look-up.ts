import type { FileHash } from '../../../domain/samples/file-hash.ts';
import type {
  BatchAnswer,
  BatchLookup,
  LargeLookup,
  Lookup,
  LookupAnswer,
} from '../../../ports/sample-store.ts';
import { type Charge, type Spent, spendAllOrNone, spendEach } from '../../tables/accounts/quota.ts';
import { bodyOf, findSizedAnalyses, type SizedAnalysis } from '../../tables/samples/sample-rows.ts';
import { pendingOf } from '../../tables/samples/uploads.ts';
import { inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';
import { ChargesOfBatch } from './charge-batch.ts';

/**
 * Runs concurrent lookups as a batch. The units of an account are spent in one statement. If there
 * are not enough, the first lookups are served.
 */
export function* runLookups(lookups: readonly Lookup[]): UnitOfWork<readonly LookupAnswer[]> {
  // The result of a lookup without a unit is dropped. Reading first saves a round trip, and locks
  // the accounts for a shorter time.
  const hashes = lookups.map(({ hash }) => hash);
  const analyses = yield* findAnalyses(hashes);
  const { charged, found } = yield* inParallel({
    charged: charge(lookups),
    found: toFound(hashes, analyses),
  });
  const charges = new ChargesOfBatch();
  const answers = charged.map(({ served, quota, charge }, index): LookupAnswer => {
    const { body, large, pending } = (served ? found[index] : undefined) ?? NOTHING;
    const lookup = lookups[index];
    if (served && charge !== undefined && lookup !== undefined) {
      if (large !== undefined && !lookup.isForDetails) charges.addLater(charge);
      else charges.add(charge, lookup);
    }
    return { served, quota, body, large, pending };
  });
  yield* charges.store(timeOf(lookups));
  return answers;
}

export function* lookUpLarge(lookup: LargeLookup): UnitOfWork<LookupAnswer> {
  const { accountId, tokenId, operation = 'lookup', key, now } = lookup;
  const purchase = { accountId, tokenId, operation, units: 1 };
  const { units, balance: quota } = yield* spendAllOrNone(purchase, now);
  const body = units === 0 ? undefined : yield* bodyOf(key);
  return { served: units > 0, quota, body, pending: false };
}

function* charge(lookups: readonly Lookup[]): UnitOfWork<readonly Charged[]> {
  const charged = new Array<Charged>(lookups.length);
  const accounts = indexesByAccount(lookups);
  const spent = yield* spendEach(
    accounts.map(([id, { length: units }]) => ({ id, units })),
    timeOf(lookups),
  );
  for (const [rankOfAccount, [, indexes]] of accounts.entries()) {
    // One for each of `accounts`.
    const ofAccount = spent[rankOfAccount] as Spent;
    for (const [rank, index] of indexes.entries())
      charged[index] = {
        served: rank < ofAccount.units,
        quota: balanceAfter(ofAccount, rank),
        charge: ofAccount.charge,
      };
  }
  return charged;
}

/** Lookups of a batch count as made at the same time. */
function timeOf([first]: readonly Lookup[]): Date {
  return first?.now ?? new Date(0);
}

interface Charged extends Pick<LookupAnswer, 'served' | 'quota'> {
  /** Shared by all lookups of the account. */
  readonly charge: Charge | undefined;
}

/** Spends a unit for every hash or none, and then finds the analyses. */
export function* lookUpMany(lookup: BatchLookup): UnitOfWork<BatchAnswer> {
  const { accountId, tokenId, hashes, now } = lookup;
  const purchase = { accountId, tokenId, operation: 'batch', units: hashes.length } as const;
  const { units, balance: quota, charge } = yield* spendAllOrNone(purchase, now);
  if (units < hashes.length) return { served: false, quota, bodies: [], large: [], pending: [] };
  const found = yield* toFound(hashes, yield* findAnalyses(hashes));
  return {
    served: true,
    quota,
    bodies: found.map(({ body }) => body),
    large: found.map(({ large }) => large),
    pending: found.map(({ pending }) => pending),
    charge,
  };
}

type Found = Pick<LookupAnswer, 'body' | 'large' | 'pending'>;

const NOTHING: Found = { body: undefined, large: undefined, pending: false };

/** In the order of the hashes. */
function* findAnalyses(
  hashes: readonly (FileHash | undefined)[],
): UnitOfWork<readonly (SizedAnalysis | undefined)[]> {
  const found = (yield* findSizedAnalyses(hashes.filter((hash) => hash !== undefined))).values();
  return hashes.map((hash) => (hash === undefined ? undefined : found.next().value));
}

/** Uploads are read only for hashes without an analysis. */
function* toFound(
  hashes: readonly (FileHash | undefined)[],
  analyses: readonly (SizedAnalysis | undefined)[],
): UnitOfWork<readonly Found[]> {
  const missing = hashes.filter(
    (hash, index) => hash !== undefined && analyses[index] === undefined,
  ) as readonly FileHash[];
  const pending = missing.length === 0 ? undefined : yield* pendingOf(missing);
  return hashes.map((hash, index) => {
    const analysis = analyses[index];
    if (analysis === undefined)
      return { ...NOTHING, pending: hash !== undefined && (pending?.has(hash) ?? false) };
    const { body, sizeBytes, sampleId: key } = analysis;
    return { body, large: body === undefined ? { key, sizeBytes } : undefined, pending: false };
  });
}

function indexesByAccount(lookups: readonly Lookup[]): readonly (readonly [string, number[]])[] {
  const indexes = new Map<string, number[]>();
  for (const [index, { accountId }] of lookups.entries()) {
    const ofAccount = indexes.get(accountId);
    if (ofAccount === undefined) indexes.set(accountId, [index]);
    else ofAccount.push(index);
  }
  // Always in the same order, so that two units cannot deadlock.
  return [...indexes].sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * The balance after the lookup with that rank, before the later ones of the batch. None was left
 * for a lookup that is not served, even if the account is topped up meanwhile.
 */
function balanceAfter({ units, balance }: Spent, rank: number): LookupAnswer['quota'] {
  if (balance.remaining === null) return balance;
  const { limit, period, resetsAt } = balance;
  const remaining = rank < units ? balance.remaining + (units - 1 - rank) : 0;
  return { limit, period, remaining, resetsAt };
}
