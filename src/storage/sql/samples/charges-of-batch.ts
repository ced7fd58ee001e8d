import type { ChargeKey } from '../../../ports/account-usage.ts';
import type { Lookup } from '../../../ports/sample-store.ts';
import type { UnitOfWork } from '../../unit-of-work.ts';
import { addCharges } from '../accounts/charges.ts';
import { type Charge, refundUnits } from '../accounts/quota.ts';

interface Units {
  /** By operation and token. */
  readonly entries: Map<string, ChargeKey & { units: number }>;
  /** Units that are spent in a later call. */
  later: number;
}

/** Itemises the units of a batch of lookups: one entry per account, token and operation. */
export class ChargesOfBatch {
  readonly #units = new Map<Charge, Units>();

  /** Adds a unit. That of a large analysis is spent when it is read. */
  add(charge: Charge, { tokenId, operation = 'lookup' }: Lookup, { isLater = false } = {}): void {
    let units = this.#units.get(charge);
    if (units === undefined) {
      units = { entries: new Map(), later: 0 };
      this.#units.set(charge, units);
    }
    if (isLater) {
      units.later += 1;
      return;
    }
    const key = `${operation} ${tokenId ?? ''}`;
    const known = units.entries.get(key);
    if (known !== undefined) known.units += 1;
    else units.entries.set(key, { tokenId, operation, units: 1 });
  }

  *store(now: Date): UnitOfWork<void> {
    for (const [charge, { entries, later }] of this.#units) {
      if (later > 0) yield* refundUnits(charge, later);
      charge.entries = [...entries.values()];
    }
    yield* addCharges([...this.#units.keys()], now);
  }
}
