import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { buildZip } from '../../../../test/analysis/zip-builder.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { zip } from './zip.ts';
import { parseZip } from './zip-directory.ts';

const NOTE = Buffer.from('A harmless note for tests.\n'.repeat(40));
const MARKER = Buffer.from('RAPSHEET-TEST-MARKER: stands for a sample, does nothing.\n');
const MIB = 1024 * 1024;

function sorted(nested: readonly { name: string; bytes: Buffer }[]): [string, string][] {
  return nested.map(({ name, bytes }): [string, string] => [name, bytes.toString()]).sort();
}

const BOTH: [string, string][] = [
  ['inner/marker.txt', MARKER.toString()],
  ['note.txt', NOTE.toString()],
];

describe('a ZIP archive', () => {
  for (const name of ['plain', 'lzma', 'bzip2', 'deflate64']) {
    it(`is unpacked (${name})`, async () => {
      const found = await inspect(zip, fixture(`analysis/archive/${name}.zip`));
      assert.deepEqual(sorted(found.nested), BOTH);
      assert.deepEqual([...found.tags.keys()], ['ZIP']);
      assert.deepEqual(found.limits, []);
    });
  }

  for (const [name, password] of [
    ['zipcrypto', 'infected'],
    ['aes', 'infected'],
    ['malware', 'malware'],
  ]) {
    it(`opens with a customary password (${name})`, async () => {
      const found = await inspect(zip, fixture(`analysis/archive/${name}.zip`));
      assert.deepEqual(sorted(found.nested), BOTH);
      assert.deepEqual([...found.tags.keys()], ['ZIP', 'ENCRYPTED_ARCHIVE', 'PASSWORD_INFECTED']);
      assert.equal(found.tags.get('PASSWORD_INFECTED')?.note, password);
    });
  }

  it('stays closed if no customary password fits, and still lists its members', async () => {
    const found = await inspect(zip, fixture('analysis/archive/unknown.zip'));
    assert.deepEqual(found.nested, []);
    assert.ok(found.tags.has('ARCHIVE_PASSWORD_UNKNOWN'));
    assert.equal(found.allFacts['memberCount'], 2);
  });

  it('lists names, sizes and encryption of its members', async () => {
    const found = await inspect(zip, fixture('analysis/archive/zipcrypto.zip'));
    assert.deepEqual((found.allFacts['members'] as unknown[])[0], {
      name: 'note.txt',
      sizeBytes: 1080,
      packedBytes: 52,
      encrypted: true,
    });
  });

  it('is classified by its members', async () => {
    const kinds = {
      JAR: ['META-INF/MANIFEST.MF', 'Main.class'],
      APK: ['META-INF/MANIFEST.MF', 'AndroidManifest.xml'],
      OOXML: ['[Content_Types].xml', 'word/document.xml'],
      ODF: ['mimetype', 'META-INF/manifest.xml'],
      NUPKG: ['[Content_Types].xml', 'demo.nuspec'],
      XPI: ['install.rdf'],
      APPX: ['[Content_Types].xml', 'AppxManifest.xml'],
    };
    for (const [tag, names] of Object.entries(kinds)) {
      const bytes = buildZip(names.map((name) => ({ name, content: NOTE })));
      const found = await inspect(zip, bytes);
      assert.deepEqual([...found.tags.keys()], ['ZIP', tag]);
    }
  });

  it('lists suspicious names as text, and tags them', async () => {
    const names = ['../../evil.txt', 'invoice.pdf.exe', 'a\u202efdp.exe', 'new\nline'];
    const found = await inspect(zip, buildZip(names.map((name) => ({ name, content: NOTE }))));
    assert.deepEqual(
      found.nested.map(({ name }) => name),
      names,
    );
    assert.deepEqual(
      [...found.tags.keys()],
      ['ZIP', 'PATH_TRAVERSAL', 'DOUBLE_EXTENSION', 'RTLO_NAME'],
    );
    const shown = JSON.stringify(found.allFacts['members']);
    assert.ok(!shown.includes('\u202e') && shown.includes('new\\\\x0aline'));
  });

  it('is read by its local headers if the directory is missing', async () => {
    const entries = [
      { name: 'a', content: NOTE, deflate: true },
      { name: 'b', content: MARKER },
    ];
    const found = await inspect(zip, buildZip(entries, false));
    assert.deepEqual(sorted(found.nested), [
      ['a', NOTE.toString()],
      ['b', MARKER.toString()],
    ]);
    assert.ok(found.tags.has('ARCHIVE_DAMAGED'));
  });

  it('is found after other content, and an archive before another is analysed too', async () => {
    const first = buildZip([{ name: 'shown.txt', content: NOTE }]);
    const second = buildZip([{ name: 'hidden.txt', content: MARKER }]);
    const both = await inspect(zip, Buffer.concat([first, second]));
    assert.ok(both.tags.has('ZIP_CONCATENATED'));
    assert.deepEqual(
      both.nested.map(({ bytes }) => bytes),
      [first, MARKER],
    );
    const appended = await inspect(zip, Buffer.concat([Buffer.from('GIF89a...'), second]));
    assert.deepEqual([...appended.tags.keys()], ['ZIP', 'ZIP_APPENDED']);
    assert.equal(appended.nested.length, 1);
  });

  it('is ignored after a program, whose format finds it', () => {
    const bytes = Buffer.concat([Buffer.from('MZ'), buildZip([{ name: 'a', content: NOTE }])]);
    assert.equal(zip.matches({ bytes } as never), false);
  });

  it('is not encrypted if only the directory sets the flag', async () => {
    const bytes = buildZip([{ name: 'classes.dex', content: NOTE }]);
    const entry = bytes.indexOf('PK\x01\x02', 0, 'latin1');
    bytes.writeUInt16LE(bytes.readUInt16LE(entry + 8) | 1, entry + 8);
    const found = await inspect(zip, bytes);
    assert.deepEqual(found.nested[0]?.bytes, NOTE);
    assert.ok(!found.tags.has('ENCRYPTED_ARCHIVE'));
  });
});

describe('a ZIP bomb', () => {
  it('is stopped by its ratio, far below the limit; the beginning is analysed', async () => {
    const content = Buffer.alloc(100 * MIB);
    const found = await inspect(zip, buildZip([{ name: 'zeros', content, deflate: true }]));
    assert.ok(found.tags.has('ARCHIVE_BOMB'));
    assert.equal(found.limits.length, 1);
    const [beginning] = found.nested;
    assert.ok(beginning !== undefined && beginning.bytes.length <= 16 * MIB);
  });

  it('is measured by its output, not by its headers', async () => {
    const content = Buffer.alloc(2 * MIB, 'abcdefgh');
    const bytes = buildZip([{ name: 'liar', content, deflate: true, statedSize: 10 }]);
    const found = await inspect(zip, bytes, { bytes: MIB });
    assert.deepEqual(
      found.nested.map((member) => member.bytes.length),
      [MIB],
    );
    assert.equal(found.limits.length, 1);
    assert.equal(found.budget.bytesLeft, 0);
  });

  it('does not get memory for a stated size', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const bytes = buildZip([{ name: 'a', content: NOTE, deflate: true, statedSize: 0xfffffff0 }]);
    const found = await inspect(zip, bytes);
    assert.deepEqual(found.nested[0]?.bytes, NOTE);
    assert.ok(process.memoryUsage().arrayBuffers - before < 48 * MIB);
  });

  it('is tagged if members share bytes, and stays within the budget', async () => {
    const content = Buffer.alloc(MIB, 'abcdefgh');
    const shared = Array.from({ length: 50 }, (_, index) => ({
      name: `copy${index}`,
      content,
      deflate: true,
      sharedOffset: 0,
    }));
    const bytes = buildZip([{ name: 'first', content, deflate: true }, ...shared]);
    const found = await inspect(zip, bytes, { bytes: 10 * MIB });
    assert.ok(found.tags.has('ARCHIVE_OVERLAP'));
    assert.ok(found.limits.length > 0);
    assert.ok(found.nested.reduce((sum, member) => sum + member.bytes.length, 0) <= 10 * MIB);
  });

  it('with very many members is counted, and unpacked up to the limit', async () => {
    const entries = Array.from({ length: 70_000 }, (_, index) => ({
      name: `f${index}`,
      content: Buffer.from('x'),
    }));
    const found = await inspect(zip, buildZip(entries));
    assert.equal(found.nested.length, 1000);
    assert.ok(found.tags.has('ARCHIVE_BOMB'));
    assert.ok(found.limits.includes('members'));
    assert.equal(found.allFacts['memberCount'], 70_000);
    assert.equal((found.allFacts['members'] as unknown[]).length, 100);
  });

  it('is not opened beyond the nesting limit', async () => {
    const bytes = buildZip([{ name: 'deeper', content: NOTE }]);
    const found = await inspect(zip, bytes, { depth: 5 });
    assert.deepEqual(found.nested, []);
    assert.equal(found.limits.length, 1);
    assert.equal(found.allFacts['memberCount'], 1);
  });

  it('within itself ends with the budget', async () => {
    let bytes: Buffer = buildZip([{ name: 'end', content: NOTE }]);
    for (let level = 0; level < 6; level += 1)
      bytes = buildZip([
        { name: 'one.zip', content: bytes },
        { name: 'two.zip', content: bytes },
      ]);
    const found = await inspect(zip, bytes);
    assert.deepEqual(
      found.nested.map(({ name }) => name),
      ['one.zip', 'two.zip'],
    );
  });

  it('is abandoned when the time is over', async () => {
    const bytes = buildZip([{ name: 'a', content: NOTE, deflate: true }]);
    const found = await inspect(zip, bytes, { isOver: () => true });
    assert.deepEqual(found.nested, []);
  });
});

describe('the directory of a ZIP archive', () => {
  it('may be in zip64 format', () => {
    const plain = buildZip([{ name: 'a', content: NOTE }]);
    const end = plain.subarray(-22);
    const zip64 = Buffer.alloc(56);
    zip64.write('PK\x06\x06', 'latin1');
    zip64.writeBigUInt64LE(1n, 32);
    zip64.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
    zip64.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
    const locator = Buffer.alloc(20);
    locator.write('PK\x06\x07', 'latin1');
    locator.writeBigUInt64LE(BigInt(plain.length - 22), 8);
    const masked = Buffer.from(end).fill(0xff, 8, 20);
    const parsed = parseZip(Buffer.concat([plain.subarray(0, -22), zip64, locator, masked]));
    assert.deepEqual(parsed?.entries[0]?.content, NOTE);
    assert.equal(parsed?.isDamaged, false);
  });

  it('is read in linear time if every header is forged', () => {
    const spent = startStopwatch();
    parseZip(Buffer.from('PK\x03\x04\x14\0\x08\0'.repeat(200_000), 'latin1'));
    parseZip(Buffer.from('PK\x05\x06\x14\0\x08\0'.repeat(200_000), 'latin1'));
    assert.ok(spent() < 10_000);
  });

  it('is parsed or refused for any damage', () => {
    const good = fixture('analysis/archive/plain.zip');
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => {
        const parsed = parseZip(bytes);
        assert.ok(parsed === undefined || parsed.entries.length <= parsed.count);
      }),
      fuzzSettings(),
    );
  });
});

describe('a damaged ZIP archive', () => {
  it('is inspected without an exception and within the budget', async () => {
    const good = buildZip([
      { name: 'a', content: NOTE, deflate: true },
      { name: 'b', content: MARKER },
    ]);
    await fc.assert(
      fc.asyncProperty(hostileVariants(good), async (bytes) => {
        const found = await inspect(zip, bytes, { bytes: MIB, members: 10 });
        assert.ok(found.budget.bytesLeft >= 0 && found.nested.length <= 10);
      }),
      fuzzSettings(),
    );
  });

  it('yields the output before the damage', async () => {
    const content = Buffer.from(Array.from({ length: MIB }, (_, index) => (index * 7919) >> 5));
    const bytes = buildZip([{ name: 'a', content, deflate: true }]);
    bytes.fill(0xff, bytes.length - 400, bytes.length - 200);
    const found = await inspect(zip, bytes);
    assert.ok(found.tags.has('ARCHIVE_DAMAGED'));
    const [member] = found.nested;
    assert.ok(member !== undefined && member.bytes.length > MIB / 2);
    assert.ok(content.subarray(0, MIB / 2).equals(member.bytes.subarray(0, MIB / 2)));
  });
});
