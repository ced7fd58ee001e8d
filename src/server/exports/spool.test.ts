import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Spool } from './spool.ts';
import { openSpoolFile } from './spool-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-spool-'));
after(() => rmSync(folder, { recursive: true }));

describe('the pieces of a spool', () => {
  const content = randomBytes(1_000_000);

  function filled(): Spool {
    const spool = new Spool(openSpoolFile(folder), () => undefined);
    spool.retain();
    writeSync(spool.fd, content);
    spool.grow(content.length);
    spool.complete();
    return spool;
  }

  it('keep their bytes if others may still use them', async () => {
    const spool = filled();
    const pieces: Buffer[] = [];
    for await (const piece of spool.pieces()) pieces.push(piece);
    assert.ok(Buffer.concat(pieces).equals(content));
    assert.equal(new Set(pieces.map(({ buffer }) => buffer)).size, pieces.length);
    spool.release();
  });

  it('use the memory of those that were sent again', async () => {
    for (const unsentPieces of [0, 1, 2]) {
      const spool = filled();
      const unsent: { readonly piece: Buffer; readonly copy: Buffer }[] = [];
      const memories = new Set<ArrayBufferLike>();
      const sent: Buffer[] = [];
      const unsentBytes = () => unsent.reduce((sum, { piece }) => sum + piece.length, 0);
      for await (const piece of spool.pieces(unsentBytes)) {
        memories.add(piece.buffer);
        for (const { piece: earlier, copy } of unsent) assert.ok(earlier.equals(copy));
        unsent.push({ piece, copy: Buffer.from(piece) });
        if (unsent.length > unsentPieces) sent.push(unsent.shift()?.copy ?? Buffer.alloc(0));
      }
      assert.ok(Buffer.concat([...sent, ...unsent.map(({ copy }) => copy)]).equals(content));
      assert.equal(memories.size, unsentPieces + 1);
      spool.release();
    }
  });
});
