import { TurnBudget } from '../../platform/turn-budget.ts';

/** Shorter bodies and lines are parsed at once: most are, and a hundred of them take a few ms. */
const LONG_BYTES = 16 * 1024;
/** Longer bodies have a turn of the event loop each. */
const turns = new TurnBudget(64 * 1024);

/**
 * Resolves when a long body or line may be parsed, or read once more. All calls of the process
 * share the turns of the event loop, so that bodies that arrive together do not add up.
 */
export async function awaitBodyTurn(bytes: number): Promise<void> {
  if (isLongBody(bytes)) await turns.spend(bytes);
}

export function isLongBody(bytes: number): boolean {
  return bytes >= LONG_BYTES;
}
