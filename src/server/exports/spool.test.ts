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
    const spool = filled();
    const pieces: Buffer[] = [];
    const copies: Buffer[] = [];
    let isSent = true;
    for await (const piece of spool.pieces(() => isSent)) {
      copies.push(Buffer.from(piece));
      pieces.push(piece);
      isSent = pieces.length !== 2;
    }
    assert.ok(Buffer.concat(copies).equals(content));
    const [first, second, third] = pieces.map(({ buffer }) => buffer);
    assert.equal(first, second);
    assert.notEqual(second, third);
    spool.release();
  });
});
