import type { ChargeKey } from '../../../ports/account-usage.ts';
import type { Lookup } from '../../../ports/sample-store.ts';
import { addCharges } from '../../tables/accounts/charges.ts';
import { type Charge, refundUnits } from '../../tables/accounts/quota.ts';
import { allInParallel, type UnitOfWork } from '../../units/unit-of-work.ts';

type Entry = ChargeKey & { units: number };

interface Units {
  /** One for each operation and token: few, most often one. */
  readonly entries: Entry[];
  /** Units that are spent in a later call. */
  later: number;
}

/** Itemises the units of a batch of lookups: one entry per account, token and operation. */
export class ChargesOfBatch {
  readonly #units = new Map<Charge, Units>();

  /** Adds a unit. */
  add(charge: Charge, { tokenId, operation = 'lookup' }: Lookup): void {
    const { entries } = this.#unitsOf(charge);
    for (const entry of entries)
      if (entry.tokenId === tokenId && entry.operation === operation) {
        entry.units += 1;
        return;
      }
    entries.push({ tokenId, operation, units: 1 });
  }

  /** Adds a unit of a large analysis, which is spent when it is read. */
  addLater(charge: Charge): void {
    this.#unitsOf(charge).later += 1;
  }

  #unitsOf(charge: Charge): Units {
    let units = this.#units.get(charge);
    if (units === undefined) {
      units = { entries: [], later: 0 };
      this.#units.set(charge, units);
    }
    return units;
  }

  *store(now: Date): UnitOfWork<void> {
    const refunds = [...this.#units].filter(([, { later }]) => later > 0);
    if (refunds.length > 0)
      yield* allInParallel(refunds.map(([charge, { later }]) => refundUnits(charge, later)));
    for (const [charge, { entries }] of this.#units) charge.entries = entries;
    yield* addCharges([...this.#units.keys()], now);
  }
}
