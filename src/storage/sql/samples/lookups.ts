import type { FileHash } from '../../../domain/samples/file-hash.ts';
import type {
  BatchAnswer,
  BatchLookup,
  LargeLookup,
  Lookup,
  LookupAnswer,
} from '../../../ports/sample-store.ts';
import { inParallel, type UnitOfWork } from '../../unit-of-work.ts';
import { type Charge, refund, type Spent, spend, spendWhole } from '../accounts/quota.ts';
import { bodyOf, findSized, type SizedReport } from './sample-rows.ts';
import { pendingOf } from './uploads.ts';

/**
 * Lookups that wait together. Those of one account take their units in one statement; where there are not enough for
 * all, those that came first are served, down to the last unit.
 */
export function* lookUpAll(lookups: readonly Lookup[]): UnitOfWork<readonly LookupAnswer[]> {
  // What is found for somebody who has no unit left is not told.
  const [charged, found] = yield* inParallel(
    charge(lookups),
    find(lookups.map(({ hash }) => hash)),
  );
  const answers = charged.map(({ served, quota }, index) => ({
    served,
    quota,
    ...((served ? found[index] : undefined) ?? NOTHING),
  }));
  const later = answers.flatMap(({ large }, index) =>
    large === undefined || lookups[index]?.isForDetails ? [] : [charged[index]?.charge],
  );
  yield* giveBack(later.filter((charge) => charge !== undefined));
  return answers;
}

/** The unit of a large report is taken when that is read. */
function* giveBack(charges: readonly Charge[]): UnitOfWork<void> {
  for (const charge of new Set(charges))
    yield* refund(charge, charges.filter((one) => one === charge).length);
}

export function* lookUpLarge({ accountId, key, now }: LargeLookup): UnitOfWork<LookupAnswer> {
  const { units, balance: quota } = yield* spendWhole(accountId, 1, now);
  const body = units === 0 ? undefined : yield* bodyOf(key);
  return { served: units > 0, quota, body, pending: false };
}

function* charge(lookups: readonly Lookup[]): UnitOfWork<readonly Charged[]> {
  const charged = new Array<Charged>(lookups.length);
  for (const [accountId, places] of placesByAccount(lookups)) {
    const spent = yield* spend(accountId, places.length, lookups[0]?.now ?? new Date(0));
    for (const [turn, place] of places.entries())
      charged[place] = {
        served: turn < spent.units,
        quota: balanceAfter(spent, turn),
        charge: spent.charge,
      };
  }
  return charged;
}

interface Charged extends Pick<LookupAnswer, 'served' | 'quota'> {
  /** The one of all lookups of the account. */
  readonly charge: Charge | undefined;
}

/** All units or none, and then what each of the hashes finds. */
export function* lookUpMany(lookup: BatchLookup): UnitOfWork<BatchAnswer> {
  const { accountId, hashes, now } = lookup;
  const { units, balance: quota, charge } = yield* spendWhole(accountId, hashes.length, now);
  if (units < hashes.length) return { served: false, quota, bodies: [], large: [], pending: [] };
  const found = yield* find(hashes);
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

/** What each of the hashes finds. Only where there is no report is it asked whether one is being made. */
function* find(hashes: readonly (FileHash | undefined)[]): UnitOfWork<readonly Found[]> {
  const asked = [...new Set(hashes.filter((hash) => hash !== undefined))];
  const reports = yield* findSized(asked);
  const missing = asked.filter((_, place) => reports[place] === undefined);
  const pending = yield* pendingOf(missing);
  const found = new Map(
    asked.map((hash, place) => [hash, toFound(reports[place], pending.has(hash))]),
  );
  return hashes.map((hash) => (hash && found.get(hash)) ?? NOTHING);
}

function toFound(report: SizedReport | undefined, pending: boolean): Found {
  if (report === undefined) return { ...NOTHING, pending };
  const { body, sizeBytes, sampleId: key } = report;
  return { body, large: body === undefined ? { key, sizeBytes } : undefined, pending: false };
}

function placesByAccount(lookups: readonly Lookup[]): readonly (readonly [string, number[]])[] {
  const places = new Map<string, number[]>();
  for (const [place, { accountId }] of lookups.entries()) {
    const known = places.get(accountId);
    if (known === undefined) places.set(accountId, [place]);
    else known.push(place);
  }
  // Always in the same order: two that each wait for what the other has would wait for ever.
  return [...places].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The balance as it stood after the call at that turn: the later ones had not taken theirs yet. */
function balanceAfter({ units, balance }: Spent, turn: number): LookupAnswer['quota'] {
  if (balance.remaining === null) return balance;
  return { ...balance, remaining: balance.remaining + Math.max(units - 1 - turn, 0) };
}
