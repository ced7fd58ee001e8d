import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inOrder, listFiles, readPieces } from './files.ts';

describe('the files of a folder', () => {
  it('are those below it, and links lead nowhere', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'rapsheet-files-'));
    test.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'deep', 'b'), 'bb');
    writeFileSync(join(folder, 'a'), 'a');
    symlinkSync('.', join(folder, 'round'));
    symlinkSync('a', join(folder, 'other'));
    assert.deepEqual(listFiles([folder]), [
      { path: join(folder, 'a'), sizeBytes: 1 },
      { path: join(folder, 'deep', 'b'), sizeBytes: 2 },
    ]);
  });
});

describe('the pieces of a file', () => {
  it('are its bytes', async () => {
    const pieces = await Array.fromAsync(readPieces(fileURLToPath(import.meta.url)));
    assert.match(Buffer.concat(pieces).toString(), /^import assert/);
  });

  it('fail where they are read, however late that is, and nowhere else', async () => {
    const pieces = readPieces('/nowhere/at/all');
    for (let turns = 0; turns < 50; turns += 1) await turn();
    await assert.rejects(Array.fromAsync(pieces), { code: 'ENOENT' });
  });
});

describe('working on several at once', () => {
  it('gives the results in the order of the list, and a failure in its place', async () => {
    const seen: number[] = [];
    const work = async (item: number) => {
      for (let turns = 0; turns < 10 - item; turns += 1) await turn();
      if (item === 3) throw new Error('the third');
      return item;
    };
    await assert.rejects(async () => {
      for await (const result of inOrder([1, 2, 3, 4], 3, work)) seen.push(result);
    }, /the third/);
    assert.deepEqual(seen, [1, 2]);
  });
});
