import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSealer } from '../../src/outgoing/sealed-secrets.ts';
import { openSecretKey } from '../../src/outgoing/secret-key-file.ts';

const SECRET = Buffer.from('a secret of some length, in the clear');

function ownFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-key-'));
  test.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('sealed secrets', () => {
  const sealer = createSealer(Buffer.alloc(32, 1));

  it('are opened with the same key for the same owner', () => {
    assert.deepEqual(sealer.open(sealer.seal(SECRET, 'w1').sealed, 'w1'), SECRET);
  });

  it('reveal neither their content nor that two have the same content', () => {
    const [one, two] = [sealer.seal(SECRET, 'w1').sealed, sealer.seal(SECRET, 'w1').sealed];
    assert.equal(Buffer.from(one).includes(SECRET.subarray(0, 4)), false);
    assert.notDeepEqual(one, two);
  });

  it('cannot be opened with another key, for another owner, or after any change', () => {
    const { sealed } = sealer.seal(SECRET, 'w1');
    assert.equal(createSealer(Buffer.alloc(32, 2)).open(sealed, 'w1'), undefined);
    assert.equal(sealer.open(sealed, 'w2'), undefined);
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      assert.equal(sealer.open(changed, 'w1'), undefined, `byte ${index}`);
      assert.equal(sealer.open(sealed.subarray(0, index), 'w1'), undefined, `cut at ${index}`);
    }
  });

  it('name their key, and do not reveal it', () => {
    const key = Buffer.alloc(32, 1);
    const { keyId } = sealer.seal(SECRET, 'w1');
    assert.match(keyId, /^[0-9a-f]{16}$/);
    assert.equal(createSealer(key).keyId, keyId);
    assert.notEqual(createSealer(Buffer.alloc(32, 2)).keyId, keyId);
    assert.equal(key.toString('hex').includes(keyId), false);
  });

  it('need a key of 256 bits', () => {
    assert.throws(() => createSealer(Buffer.alloc(16)), /32 bytes/);
  });
});

describe('the key file', () => {
  it('is created once with mode 0600, and then read', async (test) => {
    const folder = ownFolder(test);
    const file = join(folder, 'secret-key');
    const key = await openSecretKey(file);
    assert.equal(key.length, 32);
    assert.deepEqual(await openSecretKey(file), key);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['secret-key']);
    assert.match(readFileSync(file, 'utf8'), /^[A-Za-z0-9+/]{43}=\n$/);
  });

  it('is refused, and not overwritten, if it holds another text', async (test) => {
    const file = join(ownFolder(test), 'secret-key');
    writeFileSync(file, 'half a ke');
    await assert.rejects(openSecretKey(file), /does not hold a key/);
    assert.equal(readFileSync(file, 'utf8'), 'half a ke');
    await assert.rejects(openSecretKey(join(file, 'below')), /ENOTDIR/);
  });
});
