import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Problem } from '../../src/domain/problem.ts';
import { DamagedSample, type SampleFiles } from '../../src/ports/sample-files.ts';

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Receives and keeps the bytes, in chunks of `pieceBytes`. */
export async function keep(
  files: SampleFiles,
  bytes: Buffer,
  pieceBytes = 65_536,
): Promise<string> {
  const incoming = await files.receive();
  try {
    for (let offset = 0; offset < bytes.length; offset += pieceBytes)
      await incoming.write(bytes.subarray(offset, offset + pieceBytes));
    const sha256 = sha256Of(bytes);
    await incoming.keep(sha256);
    return sha256;
  } catch (cause) {
    await incoming.discard();
    throw cause;
  }
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'unavailable';
}

export async function readAll(files: SampleFiles, sha256: string): Promise<Buffer | undefined> {
  const pieces = await files.read(sha256);
  return pieces && Buffer.concat(await Array.fromAsync(pieces));
}

export interface OpenedFiles {
  readonly files: SampleFiles;
  /** Returns the sample in its stored form. */
  stored(sha256: string): Promise<Buffer>;
  /** Replaces the stored form without the store. */
  overwrite(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Counts the incoming samples, including abandoned ones. */
  arriving(): Promise<number>;
}

/** Damages of the stored form. */
const DAMAGES: readonly [string, (file: Buffer) => Uint8Array][] = [
  ['a bit is flipped', (file) => file.with(file.length - 1, (file.at(-1) ?? 0) ^ 1)],
  ['the end is missing', (file) => file.subarray(0, -1)],
  ['everything but the header is missing', (file) => file.subarray(0, 40)],
  ['the header is truncated', (file) => file.subarray(0, 39)],
  ['the file is empty', () => Buffer.alloc(0)],
  ['a byte is appended', (file) => Buffer.concat([file, Buffer.from('x')])],
  ['the key is changed', (file) => file.with(8, (file[8] ?? 0) ^ 1)],
  ['it was written by a later version', (file) => file.with(7, 2)],
  ['the magic number is wrong', (file) => file.with(0, 0x4d)],
];

/** The contract of every store of samples. */
export function sampleFilesContract(name: string, open: () => Promise<OpenedFiles>): void {
  describe(`samples in ${name}`, () => {
    let opened: OpenedFiles;
    let files: SampleFiles;
    before(async () => {
      opened = await open();
      files = opened.files;
    });
    after(() => files.sweep());

    const piece = 256 * 1024;
    for (const size of [0, 1, 39, 40, 41, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 7]) {
      it(`returns a sample of ${size} bytes unchanged`, async () => {
        const bytes = randomBytes(size);
        const sha256 = await keep(files, bytes, 100_000);
        assert.equal(await files.has(sha256), true);
        assert.ok((await readAll(files, sha256))?.equals(bytes));
      });
    }

    it('accepts chunks of any size', async () => {
      const bytes = randomBytes(1000);
      for (const size of [1, 7, 16, 999]) {
        const sha256 = await keep(files, bytes, size);
        assert.ok((await readAll(files, sha256))?.equals(bytes));
      }
    });

    it('does not have a sample before it is kept, nor after it is discarded', async () => {
      const bytes = randomBytes(100);
      const incoming = await files.receive();
      await incoming.write(bytes);
      assert.equal(await files.has(sha256Of(bytes)), false);
      await incoming.discard();
      await incoming.discard();
      assert.equal(await files.has(sha256Of(bytes)), false);
      assert.equal(await files.read(sha256Of(bytes)), undefined);
    });

    it('accepts the same sample again, also concurrently', async () => {
      const bytes = randomBytes(300_000);
      const hashes = await Promise.all(Array.from({ length: 8 }, () => keep(files, bytes)));
      assert.equal(new Set(hashes).size, 1);
      assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    });

    it('ignores a discard after a sample is kept', async () => {
      const bytes = randomBytes(10);
      const incoming = await files.receive();
      await incoming.write(bytes);
      await incoming.keep(sha256Of(bytes));
      await incoming.discard();
      assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    });

    it('removes a sample, and succeeds if there is none', async () => {
      const sha256 = await keep(files, randomBytes(10));
      await files.remove(sha256);
      await files.remove(sha256);
      assert.equal(await files.has(sha256), false);
      assert.equal(await files.read(sha256), undefined);
    });

    it('does not sweep a sample that is being received', async () => {
      const bytes = randomBytes(10);
      const incoming = await files.receive();
      await incoming.write(bytes);
      await files.sweep();
      await incoming.keep(sha256Of(bytes));
      assert.ok((await readAll(files, sha256Of(bytes)))?.equals(bytes));
    });

    it('leaves no incoming file after a sample is kept or discarded', async () => {
      const before = await opened.arriving();
      const kept = await files.receive();
      const discarded = await files.receive();
      await kept.write(Buffer.from('kept'));
      await discarded.write(Buffer.from('discarded'));
      assert.equal(await opened.arriving(), before + 2);
      await kept.keep(sha256Of(Buffer.from('kept')));
      await discarded.discard();
      assert.equal(await opened.arriving(), before);
    });

    it('stores the same bytes in another unrecognisable form each time', async () => {
      const text = 'This program cannot be run in DOS mode.';
      const bytes = Buffer.from(text.repeat(100));
      const sha256 = await keep(files, bytes);
      const first = await opened.stored(sha256);
      assert.equal(first.length, 40 + bytes.length);
      assert.equal(first.toString('latin1', 0, 8), 'RAPSMPL\x01');
      assert.equal(first.includes(text.slice(0, 8)), false);
      await keep(files, bytes);
      const second = await opened.stored(sha256);
      assert.equal(second.subarray(8).equals(first.subarray(8)), false);
    });

    for (const [what, damage] of DAMAGES) {
      it(`detects that ${what} before the last chunk is returned`, async () => {
        const sha256 = await keep(files, randomBytes(2 * piece + 5));
        await opened.overwrite(sha256, damage(await opened.stored(sha256)));
        let readBytes = 0;
        await assert.rejects(async () => {
          for await (const bytes of (await files.read(sha256)) ?? []) readBytes += bytes.length;
        }, DamagedSample);
        assert.ok(readBytes <= 2 * piece, `${readBytes} bytes were returned`);
      });
    }

    it('repairs a damaged sample that is uploaded again', async () => {
      const bytes = randomBytes(100);
      const sha256 = await keep(files, bytes);
      await opened.overwrite(sha256, Buffer.from('damaged'));
      await keep(files, bytes);
      assert.ok((await readAll(files, sha256))?.equals(bytes));
    });

    it('returns a sample in chunks, so that memory does not depend on its size', async () => {
      const sha256 = await keep(files, randomBytes(2 * piece + 1));
      const pieces = await Array.fromAsync((await files.read(sha256)) ?? []);
      assert.deepEqual(
        pieces.map(({ length }) => length),
        [piece, piece, 1],
      );
    });

    it('is unavailable for a sample that is removed before it is read', async () => {
      const sha256 = await keep(files, randomBytes(10));
      const pieces = (await files.read(sha256)) ?? [];
      await files.remove(sha256);
      await assert.rejects(Array.fromAsync(pieces), isUnavailable);
    });

    it('lets a reader stop early', async () => {
      const sha256 = await keep(files, randomBytes(4 * piece));
      for await (const bytes of (await files.read(sha256)) ?? []) {
        assert.ok(bytes.length > 0);
        break;
      }
      await files.remove(sha256);
    });

    for (const wrong of ['', '..', `../${'a'.repeat(61)}`, 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
      it(`refuses ${JSON.stringify(wrong)} as a hash`, async () => {
        await assert.rejects(async () => files.has(wrong), /must be a SHA-256/);
        await assert.rejects(async () => files.read(wrong), /must be a SHA-256/);
        await assert.rejects(async () => files.remove(wrong), /must be a SHA-256/);
        const incoming = await files.receive();
        await assert.rejects(async () => incoming.keep(wrong), /must be a SHA-256/);
        await incoming.discard();
      });
    }
  });
}
