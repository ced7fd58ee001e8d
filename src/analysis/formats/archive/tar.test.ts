import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { parseTar, tar } from './tar.ts';

const NOTE = Buffer.from('A harmless note for tests.\n'.repeat(40));

interface BuiltHeader {
  readonly name: string;
  readonly type?: string;
  readonly statedSize?: string;
}

function record({ name, type = '0', statedSize }: BuiltHeader, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(statedSize ?? content.length.toString(8).padStart(11, '0'), 124, 'latin1');
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, content, Buffer.alloc(-content.length & 511)]);
}

const END = Buffer.alloc(1024);

describe('a tar archive', () => {
  it('is unpacked', async () => {
    const found = await inspect(tar, fixture('analysis/archive/plain.tar'));
    assert.deepEqual(
      found.nested.map(({ name }) => name),
      ['note.txt', 'inner/marker.txt'],
    );
    assert.deepEqual(found.nested[0]?.bytes, NOTE);
    assert.deepEqual([...found.tags.keys()], ['TAR']);
  });

  it('may have long names in separate records', () => {
    const long = `${'folder/'.repeat(20)}name.txt`;
    const pax = Buffer.from(`30 mtime=1\n${long.length + 9} path=${long}\n`);
    const gnu = Buffer.from(`${long}\0`);
    const parsed = parseTar(
      Buffer.concat([
        record({ name: '././@LongLink', type: 'L' }, gnu),
        record({ name: 'cut' }, NOTE),
        record({ name: 'pax', type: 'x' }, pax),
        record({ name: 'cut' }, NOTE),
        record({ name: 'plain' }, NOTE),
        END,
      ]),
    );
    assert.deepEqual(
      parsed?.entries.map(({ name }) => name),
      [long, long, 'plain'],
    );
    assert.equal(parsed?.isDamaged, false);
  });

  it('may state more bytes than it has; the existing ones are analysed', async () => {
    for (const statedSize of ['77777777777', '\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff']) {
      const found = await inspect(tar, record({ name: 'liar', statedSize }, NOTE));
      assert.equal(found.nested[0]?.bytes.subarray(0, NOTE.length).equals(NOTE), true);
      assert.ok(found.tags.has('ARCHIVE_DAMAGED'));
    }
  });

  it('stays within the budget', async () => {
    const bytes = Buffer.concat([record({ name: 'a' }, NOTE), record({ name: 'b' }, NOTE), END]);
    const found = await inspect(tar, bytes, { bytes: 1500 });
    assert.deepEqual(
      found.nested.map((member) => member.bytes.length),
      [1080, 420],
    );
    assert.ok(found.limits.length > 0);
  });

  it('has no members if it contains only folders and links', async () => {
    const bytes = Buffer.concat([
      record({ name: 'folder/', type: '5' }, Buffer.alloc(0)),
      record({ name: 'link', type: '2' }, Buffer.alloc(0)),
      END,
    ]);
    const found = await inspect(tar, bytes);
    assert.equal(found.allFacts['memberCount'], 0);
  });

  it('is recognised by its checksum', () => {
    const bytes = record({ name: 'a' }, NOTE);
    bytes[0] = 0x62;
    assert.equal(parseTar(bytes), undefined);
  });

  it('is parsed or refused for any damage', () => {
    fc.assert(
      fc.property(hostileVariants(fixture('analysis/archive/plain.tar')), (bytes) => {
        const parsed = parseTar(bytes);
        for (const { content } of parsed?.entries ?? []) assert.ok(content.length <= bytes.length);
      }),
      fuzzSettings(),
    );
  });
});
