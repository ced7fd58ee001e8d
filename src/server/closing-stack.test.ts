import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClosingStack } from './closing-stack.ts';

describe('a closing stack', () => {
  it('closes one after the other, in reverse order', async () => {
    const closing = new ClosingStack();
    const closed: string[] = [];
    for (const name of ['store', 'server', 'metrics'])
      closing.add(async () => {
        closed.push(`${name} begins`);
        await Promise.resolve();
        closed.push(`${name} ends`);
      });
    await closing.close();
    assert.deepEqual(closed, [
      'metrics begins',
      'metrics ends',
      'server begins',
      'server ends',
      'store begins',
      'store ends',
    ]);
  });
});
