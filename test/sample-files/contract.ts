import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { SampleFiles } from '../../src/ports/sample-files.ts';

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Receives and keeps those bytes, in pieces of that size. */
export async function keep(
  files: SampleFiles,
  bytes: Buffer,
  pieceBytes = 65_536,
): Promise<string> {
  const incoming = await files.receive();
  for (let at = 0; at < bytes.length; at += pieceBytes)
    await incoming.write(bytes.subarray(at, at + pieceBytes));
  const sha256 = sha256Of(bytes);
  await incoming.keep(sha256);
  return sha256;
}

export async function readAll(files: SampleFiles, sha256: string): Promise<Buffer | undefined> {
  const pieces = await files.read(sha256);
  return pieces && Buffer.concat(await Array.fromAsync(pieces));
}

/** What every store of samples must do. */
export function sampleFilesContract(name: string, open: () => Promise<SampleFiles>): void {
  describe(`samples in ${name}`, () => {
    let files: SampleFiles;
    before(async () => {
      files = await open();
    });
    after(() => files.sweep());

    const piece = 256 * 1024;
    for (const size of [0, 1, 39, 40, 41, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 7]) {
      it(`gives back the ${size} bytes that were put in`, async () => {
        const bytes = randomBytes(size);
        const sha256 = await keep(files, bytes, 100_000);
        assert.equal(await files.has(sha256), true);
        assert.ok((await readAll(files, sha256))?.equals(bytes));
      });
    }

    it('takes pieces of any size', async () => {
      const bytes = randomBytes(1000);
      for (const size of [1, 7, 16, 999]) {
        const sha256 = await keep(files, bytes, size);
        assert.ok((await readAll(files, sha256))?.equals(bytes));
      }
    });

    it('shows nothing of a sample before it is kept, nor after it was discarded', async () => {
      const bytes = randomBytes(100);
      const incoming = await files.receive();
      await incoming.write(bytes);
      assert.equal(await files.has(sha256Of(bytes)), false);
      await incoming.discard();
      await incoming.discard();
      assert.equal(await files.has(sha256Of(bytes)), false);
      assert.equal(await files.read(sha256Of(bytes)), undefined);
    });

    it('takes the same sample again, also at once', async () => {
      const bytes = randomBytes(300_000);
      const hashes = await Promise.all(Array.from({ length: 8 }, () => keep(files, bytes)));
      assert.equal(new Set(hashes).size, 1);
      assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    });

    it('keeps what was kept when it is discarded afterwards', async () => {
      const bytes = randomBytes(10);
      const incoming = await files.receive();
      await incoming.write(bytes);
      await incoming.keep(sha256Of(bytes));
      await incoming.discard();
      assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    });

    it('removes a sample, and does not mind one that is not there', async () => {
      const sha256 = await keep(files, randomBytes(10));
      await files.remove(sha256);
      await files.remove(sha256);
      assert.equal(await files.has(sha256), false);
      assert.equal(await files.read(sha256), undefined);
    });

    it('leaves what is being received alone when it sweeps', async () => {
      const bytes = randomBytes(10);
      const incoming = await files.receive();
      await incoming.write(bytes);
      await files.sweep();
      await incoming.keep(sha256Of(bytes));
      assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    });

    it('lets whoever reads stop in the middle', async () => {
      const sha256 = await keep(files, randomBytes(4 * piece));
      for await (const bytes of (await files.read(sha256)) ?? []) {
        assert.ok(bytes.length > 0);
        break;
      }
      await files.remove(sha256);
    });

    for (const wrong of ['', '..', `../${'a'.repeat(61)}`, 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
      it(`takes ${JSON.stringify(wrong)} for no hash`, async () => {
        await assert.rejects(async () => files.has(wrong), /no SHA-256/);
        await assert.rejects(async () => files.read(wrong), /no SHA-256/);
        await assert.rejects(async () => files.remove(wrong), /no SHA-256/);
        const incoming = await files.receive();
        await assert.rejects(async () => incoming.keep(wrong), /no SHA-256/);
        await incoming.discard();
      });
    }
  });
}
