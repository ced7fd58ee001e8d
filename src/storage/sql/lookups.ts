import type { FileHash } from '../../domain/file-hash.ts';
import type { BatchAnswer, BatchLookup, Lookup, LookupAnswer } from '../../ports/sample-store.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { findBody } from './digests.ts';
import { type Spent, spend, spendWhole } from './quota.ts';
import { isPending } from './uploads.ts';

/**
 * Lookups that wait together. Those of one account take their units in one statement where there are
 * enough for all; near the end they are taken one by one, so that the last unit is served too.
 */
export function* lookUpAll(lookups: readonly Lookup[]): UnitOfWork<readonly LookupAnswer[]> {
  const answers: LookupAnswer[] = new Array(lookups.length);
  for (const [accountId, places] of placesByAccount(lookups)) {
    const spent = yield* spend(accountId, places.length, lookups[0]?.now ?? new Date(0));
    for (const [turn, place] of places.entries()) {
      const lookup = lookups[place];
      if (lookup === undefined) continue;
      const served = turn < spent.units;
      const found = served ? yield* find(lookup.hash) : NOTHING;
      answers[place] = { served, quota: balanceAfter(spent, turn), ...found };
    }
  }
  return answers;
}

/** All units or none, and then what each of the hashes finds. */
export function* lookUpMany(lookup: BatchLookup): UnitOfWork<BatchAnswer> {
  const { accountId, hashes, now } = lookup;
  const { units, balance: quota } = yield* spendWhole(accountId, hashes.length, now);
  if (units < hashes.length) return { served: false, quota, bodies: [], pending: [] };
  const found: Found[] = [];
  for (const hash of hashes) found.push(yield* find(hash));
  return {
    served: true,
    quota,
    bodies: found.map(({ body }) => body),
    pending: found.map(({ pending }) => pending),
  };
}

type Found = Pick<LookupAnswer, 'body' | 'pending'>;

const NOTHING: Found = { body: undefined, pending: false };

/** Only where there is no report is it asked whether one is being made. */
function* find(hash: FileHash | undefined): UnitOfWork<Found> {
  if (hash === undefined) return NOTHING;
  const body = yield* findBody(hash);
  return { body, pending: body === undefined && (yield* isPending(hash)) };
}

function placesByAccount(lookups: readonly Lookup[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { accountId }] of lookups.entries()) {
    const known = places.get(accountId);
    if (known === undefined) places.set(accountId, [place]);
    else known.push(place);
  }
  return places;
}

/** The balance as it stood after the call at that turn: the later ones had not taken theirs yet. */
function balanceAfter({ units, balance }: Spent, turn: number): LookupAnswer['quota'] {
  if (balance.remaining === null) return balance;
  return { ...balance, remaining: balance.remaining + Math.max(units - 1 - turn, 0) };
}
