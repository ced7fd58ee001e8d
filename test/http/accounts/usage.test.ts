import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { ownRig } from '../harness.ts';

const DAY_MS = 24 * 3_600_000;

describe('the usage of an account', () => {
  it('has the units of the last 90 days, and takes none', async (test) => {
    const rig = await ownRig(test);
    const { token } = await rig.reader({ limit: 9, period: 'none' });
    const usage = async () => {
      const { json } = await rig.ask('GET', '/api/usage', { token });
      return json['days'] as readonly { readonly day: string; readonly units: number }[];
    };
    const empty = await usage();
    assert.equal(empty.length, 90);
    assert.ok(empty.every(({ units }) => units === 0));
    assert.equal(empty.at(-1)?.day, '2026-08-26');
    await rig.lookUp(sha256Of('missing'), token);
    await rig.lookUp('no hash', token);
    rig.clock.advance(DAY_MS);
    const hashes = [sha256Of('a'), sha256Of('b')];
    await rig.ask('POST', '/private/samples', { token, body: { hashes } });
    await rig.lookUp(sha256Of('missing'), token);
    assert.deepEqual((await usage()).slice(-3), [
      { day: '2026-08-25', units: 0 },
      { day: '2026-08-26', units: 2 },
      { day: '2026-08-27', units: 3 },
    ]);
    assert.equal(await rig.unitsLeft(token), 4);
    rig.clock.advance(89 * DAY_MS);
    const later = await usage();
    assert.deepEqual(later[0], { day: '2026-08-27', units: 3 });
    assert.equal(later.length, 90);
    assert.equal((await rig.ask('GET', '/api/usage')).code, 'token_missing');
  });

  it('counts a large report once', async (test) => {
    const rig = await ownRig(test);
    const { token } = await rig.reader();
    const { sha256Hash } = await rig.analyse('large', {
      configs: { LANTERN: { key: 'x'.repeat(40_000) } },
    });
    assert.equal((await rig.lookUp(sha256Hash, token)).status, 200);
    const { json } = await rig.ask('GET', '/api/usage', { token });
    assert.deepEqual((json['days'] as unknown[]).at(-1), { day: '2026-08-26', units: 1 });
  });
});
