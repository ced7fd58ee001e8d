import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { build } from '../../../test/fixtures/analysis/ssdeep/recipes.ts';
import { digestsOf, openDigester } from './digests.ts';

const vectors: string[] = JSON.parse(
  readFileSync(
    new URL('../../../test/fixtures/analysis/ssdeep/vectors.json', import.meta.url),
    'utf8',
  ),
);

/** FIPS 180-4, RFC 1321 and the BLAKE3 test vectors, for the text "abc". */
const OF_ABC = {
  md5: '900150983cd24fb0d6963f7d28e17f72',
  sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  sha512:
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  blake3: '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85',
};

async function digestInPieces(bytes: Buffer, pieceBytes: number) {
  const digester = await openDigester();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    digester.update(bytes.subarray(at, at + pieceBytes));
  }
  return digester.digests();
}

describe('the digests of a file', () => {
  it('equal those of the standards', async () => {
    assert.deepEqual(await digestsOf(Buffer.from('abc')), OF_ABC);
    assert.deepEqual(await digestInPieces(Buffer.from('abc'), 1), OF_ABC);
  });

  it('equal those of b3sum and sha256sum', async () => {
    for (const line of vectors) {
      const [recipe = '', , blake3, sha256] = line.split(',');
      const digests = await digestsOf(build(recipe));
      assert.deepEqual([digests.blake3, digests.sha256], [blake3, sha256], recipe);
    }
  });

  it('do not depend on how the file is split into chunks', async () => {
    const bytes = build('random 1 200000');
    const whole = await digestsOf(bytes);
    for (const size of [1000, 65_536, 16_384, 199_999]) {
      assert.deepEqual(await digestInPieces(bytes, size), whole);
    }
  });

  it('are correct for an empty file', async () => {
    assert.deepEqual(await digestInPieces(Buffer.alloc(0), 1), await digestsOf(Buffer.alloc(0)));
  });

  it('are independent for concurrent files', async () => {
    const files = Array.from({ length: 40 }, (_, index) => build(`random ${index} 5000`));
    const together = await Promise.all(
      files.map(async (file) => {
        const digester = await openDigester();
        digester.update(file.subarray(0, 2500));
        await null;
        digester.update(file.subarray(2500));
        return digester.digests();
      }),
    );
    assert.deepEqual(together, await Promise.all(files.map(digestsOf)));
  });

  it('are correct after an aborted upload', async () => {
    const broken = await openDigester();
    broken.update(Buffer.from('half of a'));
    assert.deepEqual(await digestInPieces(Buffer.from('abc'), 2), OF_ABC);
  });

  it('can be read once, since the hasher may be reused', async () => {
    const digester = await openDigester();
    digester.digests();
    assert.throws(() => digester.digests(), /already computed/);
    assert.throws(() => digester.update(Buffer.from('more')), /already computed/);
  });
});
