import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openSampleFolder } from '../../src/sample-files/folder.ts';
import { isUnavailable, keep, sampleFilesContract, sha256Of } from './contract.ts';

const root = mkdtempSync(join(tmpdir(), 'rapsheet-samples-'));
after(() => rmSync(root, { recursive: true }));

sampleFilesContract('a folder', async () => {
  const { files, pathOf, incoming } = await newFolder();
  return {
    files,
    stored: async (sha256) => readFileSync(pathOf(sha256)),
    overwrite: async (sha256, bytes) => writeFileSync(pathOf(sha256), bytes),
    arriving: async () => incoming().length,
  };
});

const HOUR_MS = 3_600_000;

async function newFolder() {
  const folder = mkdtempSync(join(root, 'folder-'));
  const files = await openSampleFolder(folder);
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  const incoming = () => readdirSync(join(folder, 'incoming'));
  return { folder, files, pathOf, incoming };
}

describe('a folder of samples', () => {
  it('stores each under its hash, readable only by its owner', async () => {
    const { folder, files, pathOf, incoming } = await newFolder();
    const path = pathOf(await keep(files, randomBytes(10)));
    const modes = [path, join(path, '..'), join(path, '../..'), join(folder, 'incoming')];
    assert.deepEqual(
      modes.map((one) => statSync(one).mode & 0o777),
      [0o600, 0o700, 0o700, 0o700],
    );
    assert.deepEqual(incoming(), []);
  });

  it('leaves no file of a discarded upload', async () => {
    const { folder, files, incoming } = await newFolder();
    const sample = await files.receive();
    await sample.write(randomBytes(10));
    assert.equal(incoming().length, 1);
    await sample.discard();
    assert.deepEqual(globSync('**/*', { cwd: folder }), ['incoming']);
  });

  it('removes uploads that a crash left, but not those that another process may be receiving', async () => {
    const { folder, files, incoming } = await newFolder();
    const other = await openSampleFolder(folder);
    const [mine, theirs] = [await files.receive(), await other.receive()];
    for (const [name, ageMs] of [
      ['crashed', HOUR_MS + 60_000],
      ['young', HOUR_MS - 60_000],
    ] as const) {
      const file = join(folder, 'incoming', name);
      writeFileSync(file, 'half of a sample');
      utimesSync(file, new Date(), new Date(Date.now() - ageMs));
    }
    await files.sweep();
    assert.equal(incoming().length, 3);
    assert.equal(incoming().includes('crashed'), false);
    assert.equal(incoming().includes('young'), true);
    await Promise.all([mine.discard(), theirs.discard()]);
  });

  it('is unavailable when the disk fails, and can still discard', async () => {
    const { folder, files, incoming } = await newFolder();
    const bytes = randomBytes(10);
    const sample = await files.receive();
    await sample.write(bytes);
    // A file at the path of a folder that must be created.
    writeFileSync(join(folder, sha256Of(bytes).slice(0, 2)), '');
    await assert.rejects(sample.keep(sha256Of(bytes)), isUnavailable);
    await sample.discard();
    assert.deepEqual(incoming(), []);
  });

  it('is unavailable if the folder was removed', async () => {
    const { folder, files } = await newFolder();
    renameSync(folder, `${folder}-gone`);
    await assert.rejects(files.receive(), isUnavailable);
    await assert.rejects(files.sweep(), isUnavailable);
    renameSync(`${folder}-gone`, folder);
    await keep(files, randomBytes(10));
  });

  it('does not open a path that is not a folder', async () => {
    const { folder } = await newFolder();
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(openSampleFolder(join(folder, 'file')), isUnavailable);
  });
});
