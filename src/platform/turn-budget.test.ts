import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TurnBudget } from './turn-budget.ts';

interface Caller {
  readonly name: string;
  readonly pieces: number;
  readonly amount: number;
}

/** Returns for each turn of the event loop the names of the callers that did a piece in it. */
async function byTurn(budget: TurnBudget, callers: readonly Caller[]): Promise<readonly string[]> {
  const turns = [''];
  // Before the first call, so that it runs before the budget in every turn.
  const next = () => {
    turns.push('');
    counting = setImmediate(next);
  };
  let counting = setImmediate(next);
  const work = async ({ name, pieces, amount }: Caller) => {
    for (let piece = 0; piece < pieces; piece += 1) {
      turns.push(`${turns.pop()}${name}`);
      await budget.spend(amount);
    }
  };
  await Promise.all(callers.map(work));
  clearImmediate(counting);
  return turns.filter((turn) => turn !== '');
}

describe('a budget of a turn', () => {
  it('lets a caller continue in the same turn until it is used', async () => {
    const turns = await byTurn(new TurnBudget(10), [{ name: 'a', pieces: 7, amount: 4 }]);
    assert.deepEqual(turns, ['aaa', 'aaa', 'a']);
  });

  it('lets a caller do one piece in each turn, however large it is', async () => {
    const turns = await byTurn(new TurnBudget(10), [{ name: 'a', pieces: 3, amount: 1000 }]);
    assert.deepEqual(turns, ['a', 'a', 'a']);
  });

  it('is shared by all callers, which alternate', async () => {
    const callers = ['a', 'b', 'c'].map((name) => ({ name, pieces: 4, amount: 4 }));
    const turns = await byTurn(new TurnBudget(8), callers);
    // In the first turn, each does a piece before it asks for the next.
    assert.deepEqual(turns, ['abca', 'bc', 'ab', 'ca', 'bc']);
  });
});
