import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings } from '../../../../test/analysis/fuzz.ts';
import { childrenOf, type Der, readDer } from './der.ts';
import { parsePe } from './pe.ts';
import type { PeSignature } from './signature.ts';

/** The digest of the fixture `tiny` with three more bytes, from LIEF 1.0 and signify 0.9. */
const DIGEST_OF_ODD_FILE = '702f17590a920c141d174c8562543925dc1458538197d0f92873cfc7cad77689';

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

function der(tag: number, parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length.toString(16).padStart(8, '0');
  return Buffer.concat([Buffer.from([tag, 0x84]), Buffer.from(length, 'hex'), content]);
}

/** Encodes a structure again with another element at the end of one inside of it. */
function appendTo(parent: Der | undefined, path: readonly number[], added: Buffer): Buffer {
  assert.ok(parent);
  const children = childrenOf(parent);
  const [step, ...rest] = path;
  const parts = children.map(({ whole }) => whole);
  if (step === undefined) return der(parent.tag, [...parts, added]);
  const index = step < 0 ? children.length + step : step;
  parts[index] = appendTo(children[index], rest, added);
  return der(parent.tag, parts);
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

  it('computes the digest that was signed, with SHA-1 too', () => {
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

  it('computes the digest of an unsigned file without padding', () => {
    const bytes = Buffer.concat([fixture('analysis/pe/tiny'), Buffer.from('odd')]);
    assert.notEqual(bytes.length % 8, 0);
    const authentihash = parsePe(bytes)?.authentihash;
    assert.equal(authentihash, DIGEST_OF_ODD_FILE);
    const padded = Buffer.concat([bytes, Buffer.alloc(8 - (bytes.length % 8))]);
    assert.notEqual(authentihash, parsePe(padded)?.authentihash);
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

  it('finds data after the signature, which stays valid', () => {
    const bytes = fixture('analysis/pe/signed-hidden');
    const signature = signatureOf(bytes);
    assert.equal(signature.isDigestRight, true);
    assert.equal(signature.isSignatureRight, true);
    const offset = bytes.lastIndexOf('PK\x03\x04');
    const location = 'after the signature';
    assert.deepEqual(signature.hidden, [{ offset, size: 26, location }]);
  });

  /** The signed fixture with other bytes at the end of its certificate table. */
  function withMore(content: Buffer, { isInEntry }: { isInEntry: boolean }): Buffer {
    const signed = fixture('analysis/pe/signed');
    const [offset, size] = tableOf(signed);
    const bytes = Buffer.concat([signed, content]);
    const directory = bytes.readUInt32LE(0x3c) + 24 + 112 + 4 * 8;
    assert.equal(bytes.readUInt32LE(directory), offset);
    bytes.writeUInt32LE(size + content.length, directory + 4);
    if (isInEntry) bytes.writeUInt32LE(size + content.length, offset);
    return bytes;
  }

  it('finds data after the last entry of the table', () => {
    const signature = signatureOf(withMore(Buffer.from('hidden payload..'), { isInEntry: false }));
    assert.deepEqual(
      signature.hidden?.map(({ size, location }) => [size, location]),
      [[16, 'after the last entry']],
    );
  });

  it('finds no data in padding, nor in a second signature', () => {
    assert.equal(signatureOf(fixture('analysis/pe/signed')).hidden, undefined);
    assert.equal(signatureOf(fixture('analysis/pe/signed-sha1')).hidden, undefined);
    for (const isInEntry of [true, false]) {
      assert.equal(signatureOf(withMore(Buffer.alloc(4096), { isInEntry })).hidden, undefined);
      const few = Buffer.from('\x01\x02\x03\x04\x05\0\0\0', 'latin1');
      assert.equal(signatureOf(withMore(few, { isInEntry })).hidden, undefined);
    }
    const signed = fixture('analysis/pe/signed');
    const [offset, size] = tableOf(signed);
    const second = signed.subarray(offset, offset + size);
    assert.equal(signatureOf(withMore(second, { isInEntry: false })).hidden, undefined);
  });

  it('finds data in an unsigned attribute of unknown type', () => {
    const bytes = withAttribute('2a030405', 100);
    const signature = signatureOf(bytes);
    assert.equal(signature.isSignatureRight, true);
    assert.deepEqual(
      signature.hidden?.map(({ location }) => location),
      ['in the unsigned attribute 2a030405'],
    );
    // That of a time stamp service, and a mark of a few bytes.
    assert.equal(signatureOf(withAttribute('2b060104018237030301', 100)).hidden, undefined);
    assert.equal(signatureOf(withAttribute('2a030405', 8)).hidden, undefined);
  });

  /** Appends an unsigned attribute to the signer, the last structure of the signature. */
  function withAttribute(oid: string, sizeBytes: number): Buffer {
    const signed = fixture('analysis/pe/signed');
    const [offset] = tableOf(signed);
    const content = signed.subarray(offset + 8);
    const attribute = der(0x30, [
      der(0x06, [Buffer.from(oid, 'hex')]),
      der(0x31, [der(0x04, [Buffer.alloc(sizeBytes, 0x41)])]),
    ]);
    const signature = appendTo(readDer(content), [1, 0, -1, -1], der(0xa1, [attribute]));
    const entry = Buffer.alloc(Math.ceil((8 + signature.length) / 8) * 8);
    entry.writeUInt32LE(8 + signature.length, 0);
    signed.copy(entry, 4, offset + 4, offset + 8);
    signature.copy(entry, 8);
    const bytes = Buffer.concat([signed.subarray(0, offset), entry]);
    const directory = bytes.readUInt32LE(0x3c) + 24 + 112 + 4 * 8;
    bytes.writeUInt32LE(entry.length, directory + 4);
    return bytes;
  }

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
