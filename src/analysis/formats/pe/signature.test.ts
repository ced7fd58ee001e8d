import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings } from '../../../../test/analysis/fuzz.ts';
import { parsePe } from './pe.ts';
import type { PeSignature } from './signature.ts';

const { certificate } = JSON.parse(
  readFileSync(
    new URL('../../../../test/fixtures/analysis/pe/expected.json', import.meta.url),
    'utf8',
  ),
);

function signatureOf(bytes: Buffer): PeSignature {
  const signature = parsePe(bytes)?.signature;
  assert.ok(typeof signature === 'object');
  return signature;
}

/** The offset and length of the signature in a fixture. */
function tableOf(bytes: Buffer): readonly [offset: number, size: number] {
  const directory = parsePe(bytes)?.directories[4];
  assert.ok(directory);
  return [directory.rva, directory.size];
}

describe('readSignature', () => {
  it('reads signer, certificate and digest', () => {
    const signature = signatureOf(fixture('analysis/pe/signed'));
    assert.equal(signature.digestAlgorithm, 'sha256');
    assert.equal(signature.isDigestRight, true);
    assert.equal(signature.isSignatureRight, true);
    assert.equal(signature.certificateCount, 1);
    assert.equal(signature.isTimestamped, false);
    assert.match(signature.signer?.subject ?? '', /CN=Fixture Signer/);
    assert.equal(signature.signer?.isSelfSigned, true);
    assert.equal(signature.signer?.sha1, certificate.sha1);
    assert.equal(signature.signer?.sha256, certificate.sha256);
  });

  it('computes the digest that was signed, also with SHA-1', () => {
    const signature = signatureOf(fixture('analysis/pe/signed-sha1'));
    assert.equal(signature.digestAlgorithm, 'sha1');
    assert.equal(signature.computedDigest, signature.signedDigest);
    assert.equal(signature.isSignatureRight, true);
  });

  it('computes the same digest before and after signing', () => {
    assert.equal(
      parsePe(fixture('analysis/pe/library'))?.authentihash,
      signatureOf(fixture('analysis/pe/signed')).signedDigest,
    );
  });

  it('detects a file that was changed after signing', () => {
    const signature = signatureOf(fixture('analysis/pe/changed'));
    assert.equal(signature.isDigestRight, false);
    assert.equal(signature.isSignatureRight, true);
  });

  it('detects a replaced digest', () => {
    const changed = fixture('analysis/pe/changed');
    const { signedDigest, computedDigest } = signatureOf(changed);
    const at = changed.indexOf(Buffer.from(signedDigest, 'hex'));
    Buffer.from(computedDigest, 'hex').copy(changed, at);
    const forged = signatureOf(changed);
    assert.equal(forged.isDigestRight, true);
    assert.equal(forged.isSignatureRight, false);
  });

  it('reports a table with other content as unreadable', () => {
    const bytes = fixture('analysis/pe/signed');
    const [offset, size] = tableOf(bytes);
    bytes.fill(0x30, offset + 8, offset + size);
    assert.equal(parsePe(bytes)?.signature, 'unreadable');
  });

  it('finds no signature if the table is outside of the file', () => {
    const bytes = fixture('analysis/pe/signed');
    const [offset] = tableOf(bytes);
    const file = parsePe(bytes.subarray(0, offset + 100));
    assert.equal(file?.signature, undefined);
    assert.ok(file?.malformed.some((note) => note.includes('certificate table')));
  });

  it('returns for any damage to the signature', () => {
    const good = fixture('analysis/pe/signed');
    const [offset, size] = tableOf(good);
    const damagedOffset = fc.integer({ min: offset, max: offset + size - 1 });
    const damage = fc.array(fc.tuple(damagedOffset, fc.nat(255)), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        assert.ok(parsePe(bytes) !== undefined);
      }),
      fuzzSettings(),
    );
  });
});
