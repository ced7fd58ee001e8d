import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listFiles, mapInOrder, readChunks } from './files.ts';

describe('the files of a folder', () => {
  it('are listed recursively, and links are not followed', (test) => {
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

describe('readChunks', () => {
  it('yields the bytes of the file', async () => {
    const chunks = await Array.fromAsync(
      readChunks({ path: fileURLToPath(import.meta.url), sizeBytes: 1 }),
    );
    assert.match(Buffer.concat(chunks).toString(), /^import assert/);
  });

  it('fails when it is read, not when it is created', async () => {
    const chunks = readChunks({ path: '/nowhere/at/all', sizeBytes: 1 << 30 });
    for (let turns = 0; turns < 50; turns += 1) await turn();
    await assert.rejects(Array.fromAsync(chunks), { code: 'ENOENT' });
  });
});

describe('mapInOrder', () => {
  it('yields the results in the order of the list, and throws a failure at its index', async () => {
    const seen: number[] = [];
    const work = async (item: number) => {
      for (let turns = 0; turns < 10 - item; turns += 1) await turn();
      if (item === 3) throw new Error('the third');
      return item;
    };
    await assert.rejects(async () => {
      for await (const result of mapInOrder([1, 2, 3, 4], 3, work)) seen.push(result);
    }, /the third/);
    assert.deepEqual(seen, [1, 2]);
  });
});
