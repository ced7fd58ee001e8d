import { TurnBudget } from '../../platform/turn-budget.ts';

/**
 * The bytes that all long responses together make in a turn of the event loop, which takes one to
 * three milliseconds of reading and formatting.
 */
const TURN_BYTES = 64 * 1024;
/** A part counts as at least this much: reading it takes time even if its text is short. */
const MIN_PART_BYTES = 4 * 1024;

const budget = new TurnBudget(TURN_BYTES);

/** Resolves when the next part of a response may be made, after one of that many bytes. */
export async function nextPart(bytes: number): Promise<void> {
  await budget.spend(Math.max(bytes, MIN_PART_BYTES));
}
