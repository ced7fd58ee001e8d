import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import {
  createFile,
  flushPath,
  renameFile,
  renameToNew,
  replaceFile,
  replacePrivateFile,
  writeNewFile,
} from './durable-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-durable-'));
const file = join(folder, 'file');
const other = join(folder, 'other');

beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});
after(() => rmSync(folder, { recursive: true }));

describe('a durable file', () => {
  it('is written once, with mode 0600', async () => {
    await writeNewFile(file, ['one ', Buffer.from('two')]);
    assert.equal(readFileSync(file, 'utf8'), 'one two');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await assert.rejects(writeNewFile(file, ['three']), { code: 'EEXIST' });
    assert.equal(readFileSync(file, 'utf8'), 'one two');
  });

  it('is created by exactly one of many callers', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const created = await Promise.all(texts.map((text) => createFile(file, text)));
    assert.equal(created.filter(Boolean).length, 1);
    assert.equal(readFileSync(file, 'utf8'), texts[created.indexOf(true)]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['file']);
  });

  it('is not created in a folder that does not exist', async () => {
    await assert.rejects(createFile(join(folder, 'absent', 'file'), 'text'), { code: 'ENOENT' });
  });

  it('is replaced atomically, and leaves no temporary file', async () => {
    for (const text of ['a longer first text', 'second']) {
      await replaceFile(file, text);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
    assert.deepEqual(readdirSync(folder), ['file']);
  });

  it('is replaced with mode 0600, whatever the mode of the old one', async () => {
    writeFileSync(file, 'old', { mode: 0o644 });
    await replacePrivateFile(file, 'new');
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['file']);
    await assert.rejects(replacePrivateFile(join(folder, 'absent', 'file'), 'x'), {
      code: 'ENOENT',
    });
  });

  it('is renamed over another file only if that is allowed', async () => {
    writeFileSync(file, 'new');
    writeFileSync(other, 'old');
    await assert.rejects(renameToNew(file, other), { code: 'EEXIST' });
    assert.equal(readFileSync(other, 'utf8'), 'old');
    await renameFile(file, other);
    assert.equal(readFileSync(other, 'utf8'), 'new');
    await renameToNew(other, file);
    assert.deepEqual(readdirSync(folder), ['file']);
  });

  it('can be flushed after another program wrote it, as can its folder', async () => {
    writeFileSync(file, 'text');
    await flushPath(file);
    await flushPath(folder);
    await assert.rejects(flushPath(other), { code: 'ENOENT' });
  });
});
