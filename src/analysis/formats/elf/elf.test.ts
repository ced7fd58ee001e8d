import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type RecordedFindings, recordFindings } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { Subject } from '../../subject.ts';
import { elf } from './elf.ts';
import { type ElfFile, parseElf } from './file.ts';

/** The output of readelf for a fixture. */
interface Expected {
  readonly class: string;
  readonly data: string;
  readonly entry: number;
  readonly segments: readonly object[];
  readonly sections: readonly object[];
  readonly interpreter: string | null;
  readonly needed: readonly string[];
  readonly soname: string | null;
  readonly runpath: string | null;
  readonly buildId: string | null;
  readonly symbols: { readonly imported: string[]; readonly exported: string[] };
}

const FOLDER = new URL('../../../../test/fixtures/analysis/elf/', import.meta.url);

function expected(name: string): Expected {
  return JSON.parse(readFileSync(new URL(`${name}.out.json`, FOLDER), 'utf8')) as Expected;
}

function parsed(bytes: Buffer): ElfFile {
  const file = parseElf(bytes);
  assert.ok(file);
  return file;
}

function inspect(bytes: Buffer): RecordedFindings {
  const findings = recordFindings();
  const subject = new Subject(bytes, 'sample');
  if (elf.matches(subject)) void elf.inspect(subject, findings);
  return findings;
}

const tagsOf = (bytes: Buffer) => [...inspect(bytes).tags.keys()].sort();
const plain = fixture('analysis/elf/plain-arm');
const hello = fixture('analysis/elf/hello-x86-64');

/** A modified copy. */
function changed(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

const TAGS: Readonly<Record<string, readonly string[]>> = {
  'hello-arm': ['ELF32', 'ELF_ARM'],
  'hello-x86-64': ['ELF64', 'ELF_X86_64', 'STRIPPED'],
  'library-mips': ['ELF32', 'ELF_MIPS', 'SHARED_OBJECT', 'STRIPPED'],
  'object-x86-64': ['ELF64', 'ELF_OBJECT', 'ELF_X86_64'],
  'plain-arm': ['ELF32', 'ELF_ARM', 'STATIC'],
  'plain-mips': ['ELF32', 'ELF_MIPS', 'STATIC'],
  'plain-x86-64': ['ELF64', 'ELF_X86_64', 'STATIC'],
  'rwx-arm': ['ELF32', 'ELF_ARM', 'RWX_SEGMENT', 'STATIC', 'STRIPPED'],
};

for (const [name, tags] of Object.entries(TAGS)) {
  describe(`the parsed ELF fixture "${name}"`, () => {
    const bytes = fixture(`analysis/elf/${name}`);
    const file = parsed(bytes);
    const known = expected(name);

    it('agrees with readelf on the header', () => {
      assert.equal(`ELF${file.header.bits}`, known.class);
      assert.equal(file.header.bigEndian, known.data.includes('big'));
      assert.equal(file.header.entry, known.entry);
    });

    it('agrees with readelf on segments and sections', () => {
      assert.deepEqual(
        file.segments.map(({ offset, address, fileSize, memorySize }) => ({
          offset,
          address,
          fileSize,
          memorySize,
        })),
        known.segments,
      );
      assert.deepEqual(
        file.sections.slice(1).map(({ name, offset, size }) => ({ name, offset, size })),
        known.sections,
      );
    });

    it('agrees with readelf on the dynamic section', () => {
      assert.equal(file.interpreter ?? null, known.interpreter);
      assert.deepEqual(file.dynamic?.needed ?? [], known.needed);
      assert.equal(file.dynamic?.soname ?? null, known.soname);
      assert.equal(file.dynamic?.runpath ?? null, known.runpath);
      assert.equal(file.notes.buildId ?? null, known.buildId);
    });

    it('agrees with readelf on symbols', () => {
      assert.deepEqual(file.symbols.imported.toSorted(), known.symbols.imported);
      assert.deepEqual(file.symbols.exported.toSorted(), known.symbols.exported);
    });

    it('has the expected tags', () => {
      assert.deepEqual(tagsOf(bytes), tags);
      assert.deepEqual(file.oddities, []);
    });
  });
}

describe('the format elf', () => {
  it('ignores other files', () => {
    for (const text of ['', '\x7fELF', 'text'.padEnd(100), 'MZ'.padEnd(100)]) {
      assert.equal(elf.matches(new Subject(Buffer.from(text, 'latin1'), '')), false);
      assert.equal(parseElf(Buffer.from(text, 'latin1')), undefined);
    }
  });

  it('reports readable facts', () => {
    const { allFacts } = inspect(hello);
    assert.equal(allFacts['machine'], 'x86-64');
    assert.equal(allFacts['byteOrder'], 'little');
    assert.equal(allFacts['runpath'], '/opt/fixture');
    assert.deepEqual(allFacts['needed'], ['libc.so.6']);
    assert.match(String(allFacts['compilers']), /^GCC/);
  });

  it('finds symbols without section headers', () => {
    const bare = changed(hello, (copy) => copy.fill(0, 0x3c, 0x40).fill(0, 0x28, 0x30));
    assert.deepEqual(parsed(bare).symbols.imported, parsed(hello).symbols.imported);
    assert.ok(inspect(bare).tags.has('NO_SECTIONS'));
  });

  it('recognises an overlay', () => {
    const { tags } = inspect(Buffer.concat([hello, Buffer.from('appended')]));
    assert.deepEqual(tags.get('OVERLAY'), { offset: hello.length, note: '8 bytes' });
  });

  it('recognises an executable stack', () => {
    const bytes = changed(hello, (copy) => {
      const at = copy.indexOf(Buffer.from('51e57464', 'hex'));
      copy.writeUInt32LE(7, at + 4);
    });
    assert.ok(inspect(bytes).tags.has('EXECUTABLE_STACK'));
  });

  it('reads a file whose identification has a wrong class and byte order, as the kernel does', () => {
    for (const [from, value] of [
      [4, 2],
      [5, 2],
      [4, 0],
      [5, 77],
    ] as const) {
      const { tags } = inspect(changed(plain, (copy) => copy.writeUInt8(value, from)));
      assert.ok(tags.has('ELF_ARM'));
      assert.ok(tags.has('MALFORMED_ELF'));
    }
  });
});

/** Headers of a program packed with UPX, and its marks. */
function packed(mark: string): Buffer {
  const bytes = Buffer.alloc(600, 0xa5);
  bytes.write('7f454c4601020100000000000000000000020008', 'hex');
  bytes.writeUInt32BE(1, 20);
  bytes.fill(0, 24, 52);
  bytes.writeUInt32BE(52, 28);
  bytes.writeUInt16BE(52, 40);
  bytes.writeUInt16BE(32, 42);
  bytes.writeUInt16BE(1, 44);
  [1, 0, 0x100000, 0x100000, 600, 600, 5, 0x1000].forEach((value, index) => {
    bytes.writeUInt32BE(value, 52 + index * 4);
  });
  bytes.write(mark, 88, 'latin1');
  [0, 4000, 4000, 300, 200].forEach((value, index) => {
    bytes.writeUInt32BE(value, 96 + index * 4);
  });
  bytes.writeUInt8(8, 116);
  bytes.write(mark, 600 - 36, 'latin1');
  return bytes;
}

describe('a program packed with UPX', () => {
  it('is recognised by its marks', () => {
    const tags = tagsOf(packed('UPX!'));
    assert.ok(tags.includes('PACKED_UPX'));
    assert.ok(!tags.includes('UPX_DAMAGED'));
  });

  it('is recognised by its sizes if the marks are overwritten', () => {
    const tags = tagsOf(packed('YTS\x99'));
    assert.ok(tags.includes('PACKED_UPX'));
    assert.ok(tags.includes('UPX_DAMAGED'));
  });

  it('is not recognised without marks and sizes', () => {
    const bytes = packed('YTS\x99').fill(0xff, 96, 116);
    assert.ok(!tagsOf(bytes).includes('PACKED_UPX'));
  });
});

describe('hostile ELF files', () => {
  it('with 65,535 program headers are read up to the end of the file', () => {
    const bytes = changed(plain, (copy) => copy.writeUInt16LE(0xffff, 44));
    const { tags, limits } = inspect(bytes);
    assert.ok(tags.has('MALFORMED_ELF'));
    assert.equal(limits.length, 1);
  });

  it('with overlapping program headers are bounded', () => {
    const bytes = changed(Buffer.alloc(5_000_000), (copy) => {
      plain.copy(copy);
      copy.writeUInt16LE(0xffff, 44);
    });
    assert.equal(inspect(bytes).limits.length, 1);
  });

  it('with overlapping sections are not read repeatedly', () => {
    const count = 4_000;
    const bytes = Buffer.alloc(52 + count * 40 + 1_000_000);
    plain.copy(bytes, 0, 0, 52);
    bytes.writeUInt16LE(0, 44);
    bytes.writeUInt32LE(52, 32);
    bytes.writeUInt16LE(count, 48);
    for (let index = 0; index < count; index += 1) {
      bytes.writeUInt32LE(1, 52 + index * 40 + 4);
      bytes.writeUInt32LE(bytes.length, 52 + index * 40 + 20);
    }
    const file = parsed(bytes);
    assert.equal(file.sections.filter(({ entropy }) => entropy !== undefined).length, 1);
  });

  it('with headers of size 0 are malformed', () => {
    for (const at of [42, 46]) {
      const bytes = changed(plain, (copy) => copy.writeUInt16LE(0, at));
      assert.ok(inspect(bytes).tags.has('MALFORMED_ELF'));
    }
  });

  it('with segments outside of the file are malformed', () => {
    const bytes = changed(hello, (copy) => copy.writeBigUInt64LE(2n ** 63n, 64 + 8));
    assert.ok(inspect(bytes).tags.has('MALFORMED_ELF'));
  });

  it('of any kind cause no exception', () => {
    for (const name of ['plain-mips', 'hello-x86-64', 'library-mips']) {
      fc.assert(
        fc.property(hostileVariants(fixture(`analysis/elf/${name}`)), (bytes) => {
          inspect(bytes);
        }),
        fuzzSettings(),
      );
    }
  });

  it('with damaged headers cause no exception', () => {
    const start = hello.subarray(0, 64 + 13 * 56);
    fc.assert(
      fc.property(hostileVariants(start), (damage) => {
        inspect(changed(hello, (copy) => damage.copy(copy)));
      }),
      fuzzSettings(),
    );
  });
});
