import { TurnBudget } from '../../platform/turn-budget.ts';

/**
 * What all submissions together read in a turn of the event loop: some 2 ms of counting values, of
 * validating objects or of reading patterns. An envelope read at once delayed others by 0.4 s.
 */
const TURN_BYTES = 256 * 1024;
/** An object costs as much as reading that many bytes, however short it is. */
const OBJECT_BYTES = 4 * 1024;

const budget = new TurnBudget(TURN_BYTES);

/** Resolves when more bytes may be read, after that many. */
export async function nextBytes(bytes: number): Promise<void> {
  await budget.spend(bytes);
}

/** Resolves when the next object may be read. */
export async function nextObject(): Promise<void> {
  await budget.spend(OBJECT_BYTES);
}
