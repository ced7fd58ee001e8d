import { TurnBudget } from '../../platform/turn-budget.ts';

/**
 * The objects that all submissions together validate, or whose patterns they read, in a turn of the
 * event loop: some 2 ms. An envelope read at once delayed others by 0.4 s.
 */
const budget = new TurnBudget(64);

/** Resolves when the next object may be read. */
export async function nextObject(): Promise<void> {
  await budget.spend(1);
}
