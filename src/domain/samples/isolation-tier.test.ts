import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeTier, ISOLATION_TIERS } from './isolation-tier.ts';

it('describes each tier of isolation, and what it leaves open', () => {
  for (const tier of ISOLATION_TIERS) assert.ok(describeTier(tier).startsWith(`${tier}: `));
  assert.doesNotMatch(describeTier('full'), /;/);
  assert.match(describeTier('sandbox'), /; page tables .* are not limited$/);
  assert.match(describeTier('limits'), /; network, files, system calls/);
});
