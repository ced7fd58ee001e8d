import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fittingTags } from './fitting-tags.ts';

test('shows the tags that have room, and always the first', () => {
  assert.deepEqual(fittingTags(['xworm', 'rat', 'loader']), { usual: 3, large: 3 });
  const long = ['BLANK_GRABBER', 'stealer', 'discord-webhook'];
  assert.deepEqual(fittingTags(long), { usual: 2, large: 3 });
  assert.deepEqual(fittingTags(['x'.repeat(64), 'rat']), { usual: 1, large: 1 });
  assert.deepEqual(fittingTags([]), { usual: 0, large: 0 });
});
