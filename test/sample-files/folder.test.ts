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
import { Problem } from '../../src/domain/problem.ts';
import { DamagedSample } from '../../src/ports/sample-files.ts';
import { openSampleFolder } from '../../src/sample-files/folder.ts';
import { keep, readAll, sampleFilesContract, sha256Of } from './contract.ts';

const root = mkdtempSync(join(tmpdir(), 'rapsheet-samples-'));
after(() => rmSync(root, { recursive: true }));

sampleFilesContract('a folder', () => openSampleFolder(join(root, 'contract')));

const PIECE = 256 * 1024;
const HOUR_MS = 3_600_000;

async function newFolder() {
  const folder = mkdtempSync(join(root, 'folder-'));
  const files = await openSampleFolder(folder);
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  const incoming = () => readdirSync(join(folder, 'incoming'));
  return { folder, files, pathOf, incoming };
}

describe('a folder of samples', () => {
  it('keeps each under its hash, for its owner alone', async () => {
    const { folder, files, pathOf, incoming } = await newFolder();
    const path = pathOf(await keep(files, randomBytes(10)));
    const modes = [path, join(path, '..'), join(path, '../..'), join(folder, 'incoming')];
    assert.deepEqual(
      modes.map((one) => statSync(one).mode & 0o777),
      [0o600, 0o700, 0o700, 0o700],
    );
    assert.deepEqual(incoming(), []);
  });

  it('lets nothing of the bytes be recognised at rest, nor that two files are one', async () => {
    const { files, pathOf } = await newFolder();
    const text = 'This program cannot be run in DOS mode.';
    const bytes = Buffer.from(text.repeat(100));
    const path = pathOf(await keep(files, bytes));
    const first = readFileSync(path);
    assert.equal(first.length, 40 + bytes.length);
    assert.equal(first.toString('latin1', 0, 8), 'RAPSMPL\x01');
    assert.equal(first.includes(text.slice(0, 8)), false);
    await keep(files, bytes);
    assert.equal(readFileSync(path).subarray(8).equals(first.subarray(8)), false);
  });

  const damages: readonly [string, (file: Buffer) => Uint8Array][] = [
    ['a bit is turned', (file) => file.with(file.length - 1, (file.at(-1) ?? 0) ^ 1)],
    ['the end is missing', (file) => file.subarray(0, -1)],
    ['all but the header is missing', (file) => file.subarray(0, 40)],
    ['the header is cut', (file) => file.subarray(0, 39)],
    ['nothing is left', () => Buffer.alloc(0)],
    ['something is added', (file) => Buffer.concat([file, Buffer.from('x')])],
    ['the key is another', (file) => file.with(8, (file[8] ?? 0) ^ 1)],
    ['it was written by a later version', (file) => file.with(7, 2)],
    ['it is no file of ours', (file) => file.with(0, 0x4d)],
  ];
  for (const [what, damage] of damages) {
    it(`notices when ${what}, before the last piece is given out`, async () => {
      const { files, pathOf } = await newFolder();
      const bytes = randomBytes(2 * PIECE + 5);
      const sha256 = await keep(files, bytes);
      writeFileSync(pathOf(sha256), damage(readFileSync(pathOf(sha256))));
      let given = 0;
      await assert.rejects(async () => {
        for await (const piece of (await files.read(sha256)) ?? []) given += piece.length;
      }, DamagedSample);
      assert.ok(given <= 2 * PIECE, `${given} bytes were given out`);
    });
  }

  it('heals a damaged sample that is uploaded again', async () => {
    const { files, pathOf } = await newFolder();
    const bytes = randomBytes(100);
    const sha256 = await keep(files, bytes);
    writeFileSync(pathOf(sha256), 'gone wrong');
    await keep(files, bytes);
    assert.ok((await readAll(files, sha256))?.equals(bytes));
  });

  it('gives a sample out in pieces, so that memory does not depend on its size', async () => {
    const { files } = await newFolder();
    const sha256 = await keep(files, randomBytes(2 * PIECE + 1));
    const pieces = await Array.fromAsync((await files.read(sha256)) ?? []);
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [PIECE, PIECE, 1],
    );
  });

  it('leaves nothing behind of what is discarded', async () => {
    const { folder, files, incoming } = await newFolder();
    const sample = await files.receive();
    await sample.write(randomBytes(10));
    assert.equal(incoming().length, 1);
    await sample.discard();
    assert.deepEqual(globSync('**/*', { cwd: folder }), ['incoming']);
  });

  it('sweeps away what a crash has left, but not what another process may still be receiving', async () => {
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

  it('says that it is unavailable where the disk refuses, and can still discard', async () => {
    const { folder, files, incoming } = await newFolder();
    const bytes = randomBytes(10);
    const sample = await files.receive();
    await sample.write(bytes);
    // A file where a folder must be made.
    writeFileSync(join(folder, sha256Of(bytes).slice(0, 2)), '');
    await assert.rejects(sample.keep(sha256Of(bytes)), isUnavailable);
    await sample.discard();
    assert.deepEqual(incoming(), []);
  });

  it('says that it is unavailable where the folder is gone', async () => {
    const { folder, files } = await newFolder();
    renameSync(folder, `${folder}-gone`);
    await assert.rejects(files.receive(), isUnavailable);
    await assert.rejects(files.sweep(), isUnavailable);
    renameSync(`${folder}-gone`, folder);
    await keep(files, randomBytes(10));
  });

  it('says that it is unavailable where a sample goes before it is read', async () => {
    const { files } = await newFolder();
    const sha256 = await keep(files, randomBytes(10));
    const pieces = (await files.read(sha256)) ?? [];
    await files.remove(sha256);
    await assert.rejects(Array.fromAsync(pieces), isUnavailable);
  });

  it('does not start in a place that is no folder', async () => {
    const { folder } = await newFolder();
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(openSampleFolder(join(folder, 'file')), isUnavailable);
  });
});

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'unavailable';
}
