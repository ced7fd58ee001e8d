import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../../test/analysis/findings.ts';
import { runSeven } from '../../analysis/formats/archive/seven-run.ts';
import { zip } from '../../analysis/formats/archive/zip.ts';
import { encryptedZip } from './encrypted-zip.ts';

const CONTENT = Buffer.from('RAPSHEET-TEST-MARKER: stands for a sample.\n'.repeat(5000));
const ROOM = { bytes: 1e6, members: 2, isOver: () => false };

async function* inPieces(bytes: Buffer, size = 4096): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

describe('a file in an encrypted ZIP archive', () => {
  it('is unchanged after unpacking with the password', async () => {
    const member = { name: 'sample', sizeBytes: CONTENT.length, bytes: inPieces(CONTENT) };
    const archive = await collect(encryptedZip(member, 'infected'));
    const run = await runSeven({ archive, type: 'zip', password: 'infected' }, ROOM);
    assert.deepEqual(run.members, [{ name: 'sample', bytes: CONTENT, state: 'whole' }]);
    assert.equal(archive.includes('RAPSHEET-TEST-MARKER'), false);
  });

  it('does not open with another password', async () => {
    const member = { name: 'sample', sizeBytes: CONTENT.length, bytes: inPieces(CONTENT) };
    const archive = await collect(encryptedZip(member, 'another'));
    const run = await runSeven({ archive, type: 'zip', password: 'infected' }, ROOM);
    assert.equal(run.isLocked, true);
  });

  it('is opened by our own analysis too', async () => {
    const member = { name: 'sample', sizeBytes: CONTENT.length, bytes: inPieces(CONTENT) };
    const found = await inspect(zip, await collect(encryptedZip(member, 'infected')));
    assert.deepEqual(found.nested, [{ name: 'sample', bytes: CONTENT }]);
  });

  it('may be empty', async () => {
    const member = { name: 'nothing', sizeBytes: 0, bytes: inPieces(Buffer.alloc(0)) };
    const archive = await collect(encryptedZip(member, 'infected'));
    const run = await runSeven({ archive, type: 'zip', password: 'infected' }, ROOM);
    assert.equal(run.members[0]?.bytes.length, 0);
    assert.equal(run.isDamaged, false);
  });

  it('is streamed, not buffered', async () => {
    let given = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for (; given < 10_000; given += 1) yield Buffer.alloc(65_536);
    }
    const member = { name: 'large', sizeBytes: 655_360_000, bytes: counted() };
    let received = 0;
    for await (const piece of encryptedZip(member, 'infected')) {
      received += piece.length;
      if (received > 1_000_000) break;
    }
    assert.ok(given < 100, `${given} pieces were read ahead`);
  });

  it('does not wait for the other parts when reading stops', { timeout: 180_000 }, async () => {
    const stalled = Array.from({ length: 40 }, () => {
      const member = { name: 'sample', sizeBytes: CONTENT.length, bytes: inPieces(CONTENT) };
      return encryptedZip(member, 'infected');
    });
    for (const one of stalled) assert.equal((await one.next()).done, false);
    const member = { name: 'sample', sizeBytes: CONTENT.length, bytes: inPieces(CONTENT) };
    assert.ok((await collect(encryptedZip(member, 'infected'))).length > CONTENT.length);
    for (const one of stalled) await one.return();
  });

  it('fails if its source fails, and is never complete', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield CONTENT;
      throw new Error('the disk failed');
    }
    const pieces: Uint8Array[] = [];
    await assert.rejects(async () => {
      const member = { name: 'sample', sizeBytes: CONTENT.length, bytes: failing() };
      for await (const piece of encryptedZip(member, 'infected')) pieces.push(piece);
    }, /the disk failed/);
    assert.equal(Buffer.concat(pieces).includes('PK\x05\x06'), false);
  });

  it('fails if there are more or fewer bytes than stated', async () => {
    for (const sizeBytes of [CONTENT.length - 1, CONTENT.length + 1]) {
      const member = { name: 'sample', sizeBytes, bytes: inPieces(CONTENT) };
      await assert.rejects(collect(encryptedZip(member, 'infected')), /bytes, not/);
    }
  });

  it('fails if the file is larger than the format allows', async () => {
    const member = { name: 'sample', sizeBytes: 2 ** 32, bytes: inPieces(CONTENT) };
    await assert.rejects(collect(encryptedZip(member, 'infected')), /too large/);
  });

  it('ends its source when the consumer stops', async () => {
    const released = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield CONTENT;
      } finally {
        released.resolve();
      }
    }
    const member = { name: 'sample', sizeBytes: 4e9, bytes: endless() };
    for await (const piece of encryptedZip(member, 'infected'))
      if (piece.length === CONTENT.length) break;
    await released.promise;
  });
});
