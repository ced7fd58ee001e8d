import type { Lookup, LookupAnswer } from '../../ports/store.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { findBody } from './digests.ts';
import { type Spent, spend } from './quota.ts';

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
      const body = served && lookup.hash ? yield* findBody(lookup.hash) : undefined;
      const quota = balanceAfter(spent, turn);
      answers[place] = { served, quota, body };
    }
  }
  return answers;
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
