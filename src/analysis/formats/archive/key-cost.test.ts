import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { hasCostlyKey } from './key-cost.ts';
import { archive } from './seven.ts';

const SIGNATURE = Buffer.from('Rar!\x1a\x07\x01\x00', 'latin1');

function rarBlock(body: readonly number[]): Buffer {
  return Buffer.from([0, 0, 0, 0, body.length, ...body]);
}

/** An archive with an encrypted member list. */
function lockedRar(rounds: number): Buffer {
  const body = [4, 0, 0, 0, rounds, ...Array.from({ length: 16 }, () => 7)];
  return Buffer.concat([SIGNATURE, rarBlock(body), Buffer.alloc(64)]);
}

/** An archive with an encrypted member: a time record, then the encryption record. */
function rarWithLockedMember(rounds: number): Buffer {
  const extra = [2, 3, 0, 4, 1, 0, 0, rounds];
  const main = rarBlock([1, 0, 0]);
  return Buffer.concat([
    SIGNATURE,
    main,
    rarBlock([2, 1, extra.length, ...extra]),
    Buffer.alloc(64),
  ]);
}

function sevenWith(rounds: number): Buffer {
  const bytes = fixture('analysis/archive/hidden.7z');
  const at = bytes.lastIndexOf(Buffer.from('06f10701', 'hex')) + 5;
  bytes[at] = ((bytes[at] ?? 0) & 0xc0) | rounds;
  return bytes;
}

describe('the key of an encrypted archive', () => {
  it('is cheap enough with the defaults of packers', () => {
    assert.equal(hasCostlyKey(lockedRar(15), 'Rar5'), false);
    assert.equal(hasCostlyKey(rarWithLockedMember(15), 'Rar5'), false);
    assert.equal(hasCostlyKey(fixture('analysis/archive/hidden.7z'), '7z'), false);
    assert.equal(hasCostlyKey(fixture('analysis/archive/plain.rar'), 'Rar5'), false);
  });

  it('is not derived if that would take too long', async () => {
    assert.equal(hasCostlyKey(rarWithLockedMember(24), 'Rar5'), true);
    for (const bytes of [lockedRar(24), sevenWith(24)]) {
      const found = await inspect(archive, bytes);
      assert.ok(found.tags.has('ENCRYPTED_ARCHIVE'));
      assert.deepEqual(found.limits, ['its key takes too long to derive']);
    }
  });

  it('is searched in damaged archives without an exception', () => {
    for (const [good, type] of [
      [rarWithLockedMember(15), 'Rar5'],
      [sevenWith(19), '7z'],
    ] as const)
      fc.assert(
        fc.property(hostileVariants(good), (bytes) => {
          assert.equal(typeof hasCostlyKey(bytes, type), 'boolean');
        }),
        fuzzSettings(),
      );
  });
});
