import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compoundFile } from '../../../../test/fixtures/analysis/generate/ole.ts';
import { type CompoundFile, formatGuid, parseCompoundFile } from './file.ts';

const SECTOR = 512;
const large = Buffer.from('large '.repeat(2000));
const small = Buffer.from('small '.repeat(50));
const good = compoundFile({
  streams: { Large: large, 'Folder/Small': small, Empty: Buffer.alloc(0) },
});

function parse(bytes: Buffer): CompoundFile {
  const file = parseCompoundFile(bytes);
  assert.ok(file);
  return file;
}

function contentOf(file: CompoundFile, name: string): Buffer {
  const entry = file.find(name);
  assert.ok(entry);
  return file.read(entry);
}

/** A copy with one entry of the allocation table changed. */
function withLink(bytes: Buffer, sector: number, next: number): Buffer {
  const copy = Buffer.from(bytes);
  const tableSector = copy.readUInt32LE(0x4c);
  copy.writeUInt32LE(next, (tableSector + 1) * SECTOR + sector * 4);
  return copy;
}

/** A copy with one field of a directory entry changed. */
function withEntry(bytes: Buffer, entry: number, change: { at: number; value: number }): Buffer {
  const copy = Buffer.from(bytes);
  const directory = (copy.readUInt32LE(0x30) + 1) * SECTOR;
  copy.writeUInt32LE(change.value, directory + entry * 128 + change.at);
  return copy;
}

describe('a compound file', () => {
  it('lists its streams, large and small', () => {
    const file = parse(good);
    assert.deepEqual(
      file.entries.map(({ path, kind }) => [path, kind]),
      [
        ['', 'root'],
        ['Large', 'stream'],
        ['Folder', 'storage'],
        ['Folder/Small', 'stream'],
        ['Empty', 'stream'],
      ],
    );
    assert.ok(contentOf(file, 'Large').equals(large));
    assert.ok(contentOf(file, 'small').equals(small));
    assert.equal(contentOf(file, 'Empty').length, 0);
    assert.equal(file.truncated.size, 0);
  });

  it('states the offset of a large stream', () => {
    const offset = parse(good).find('Large')?.offset ?? 0;
    assert.equal(good.toString('latin1', offset, offset + 6), 'large ');
  });

  it('ends a chain of sectors at a cycle', () => {
    const file = parse(withLink(good, 3, 1));
    assert.ok(contentOf(file, 'Large').length <= 4 * SECTOR);
    assert.deepEqual([...file.truncated], ['a stream is shorter than its entry says']);
  });

  it('ends a chain that leaves the file', () => {
    assert.equal(contentOf(parse(withLink(good, 3, 0x00ffffff)), 'Large').length, 4 * SECTOR);
  });

  it('lists an entry once, however often the directory refers to it', () => {
    const looped = [
      withEntry(good, 1, { at: 0x48, value: 1 }),
      withEntry(good, 3, { at: 0x4c, value: 0 }),
      withEntry(good, 2, { at: 0x4c, value: 2 }),
      withEntry(good, 4, { at: 0x44, value: 1 }),
    ];
    for (const bytes of looped) {
      const paths = parse(bytes).entries.map(({ path }) => path);
      assert.equal(new Set(paths).size, paths.length);
    }
  });

  it('lists streams outside of any storage', () => {
    const file = parse(withEntry(good, 2, { at: 0x4c, value: 0xffffffff }));
    assert.ok(contentOf(file, 'Small').equals(small));
  });

  it('reads at most twice its size, although many streams share their sectors', () => {
    const streams = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `S${index}`,
        Buffer.alloc(index === 0 ? 40_000 : 1, 1),
      ]),
    );
    let bytes = compoundFile({ streams });
    for (let entry = 2; entry <= 60; entry += 1) {
      bytes = withEntry(bytes, entry, { at: 0x74, value: 0 });
      bytes = withEntry(bytes, entry, { at: 0x78, value: 40_000 });
    }
    const file = parse(bytes);
    let total = 0;
    for (const entry of file.entries) total += file.read(entry).length;
    assert.ok(total <= bytes.length * 2);
    assert.ok(file.truncated.size > 0);
  });

  it('is refused without a root, with odd sectors or with a truncated header', () => {
    const odd = Buffer.from(good);
    odd.writeUInt16LE(31, 0x1e);
    assert.equal(parseCompoundFile(odd), undefined);
    assert.equal(parseCompoundFile(good.subarray(0, 511)), undefined);
    assert.equal(parseCompoundFile(Buffer.alloc(4096)), undefined);
    const lost = Buffer.from(good);
    lost.writeUInt32LE(0x00ffffff, 0x30);
    assert.equal(parseCompoundFile(lost), undefined);
  });

  it('terminates if the list of table sectors is a cycle', () => {
    const looped = Buffer.from(good);
    looped.fill(0xff, 0x4c, 0x4c + 436);
    looped.writeUInt32LE(0, 0x44);
    for (let at = SECTOR; at < 2 * SECTOR; at += 4) looped.writeUInt32LE(0, at);
    parseCompoundFile(looped);
  });
});

describe('a GUID', () => {
  it('is formatted as on Windows', () => {
    const bytes = Buffer.from('02ce020000000000c000000000000046', 'hex');
    assert.equal(formatGuid(bytes), '0002ce02-0000-0000-c000-000000000046');
    assert.equal(formatGuid(Buffer.alloc(16)), '');
  });
});
