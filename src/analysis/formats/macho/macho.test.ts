import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type RecordedFindings, recordFindings } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { Subject } from '../../subject.ts';
import { javaClass } from '../java-class.ts';
import { type MachProgram, parseMachO } from './file.ts';
import { macho } from './macho.ts';

function inspect(bytes: Buffer): RecordedFindings {
  const findings = recordFindings();
  const subject = new Subject(bytes, 'sample');
  if (macho.matches(subject)) void macho.inspect(subject, findings);
  return findings;
}

const tagsOf = (bytes: Buffer) => [...inspect(bytes).tags.keys()].sort();

function program(bytes: Buffer): MachProgram {
  const file = parseMachO(bytes);
  assert.equal(file?.kind, 'thin');
  return file;
}

/** Integers of four bytes, texts and bytes, concatenated. */
function words(isBig: boolean, ...parts: readonly (number | bigint | string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part, 'latin1');
      if (Buffer.isBuffer(part)) return part;
      const bytes = Buffer.alloc(typeof part === 'bigint' ? 8 : 4);
      if (typeof part === 'bigint')
        isBig ? bytes.writeBigUInt64BE(part) : bytes.writeBigUInt64LE(part);
      else isBig ? bytes.writeUInt32BE(part) : bytes.writeUInt32LE(part);
      return bytes;
    }),
  );
}

const little = (...parts: readonly (number | bigint | string | Buffer)[]) => words(false, ...parts);
const big = (...parts: readonly (number | bigint | string | Buffer)[]) => words(true, ...parts);

function command(kind: number, ...parts: readonly (number | bigint | string | Buffer)[]): Buffer {
  const content = little(...parts);
  const size = Math.ceil((content.length + 8) / 8) * 8;
  return Buffer.concat([little(kind, size), content], size);
}

const library = (kind: number, name: string) => command(kind, 24, 2, 0x10000, 0x10000, `${name}\0`);

function segment(name: string, size: bigint, protection: number): Buffer {
  return command(0x19, name.padEnd(16, '\0'), 0n, size, 0n, size, 7, protection, 0, 0);
}

/** A 64-bit x86 program with these load commands and trailing bytes. */
function built(commands: readonly Buffer[], rest: Buffer = Buffer.alloc(0)): Buffer {
  const all = Buffer.concat(commands);
  const header = little(0xfeedfacf, 0x01000007, 3, 2, commands.length, all.length, 0x85, 0);
  return Buffer.concat([header, all, rest]);
}

/** A code signature with a directory, entitlements and certificates of the given size. */
function signature(certificates: number, flags = 0): Buffer {
  const names = Buffer.from('com.example.fixture\0TEAM123456\0');
  const directory = big(
    0xfade0c02,
    52 + names.length,
    ...[0x20200, flags, 0, 52, 0, 0, 0, 0, 0, 0, 72],
    names,
  );
  const entitlements = big(0xfade7171, 8 + 8, '<plist/>');
  const cms = big(0xfade0b01, 8 + certificates, Buffer.alloc(certificates, 0x30));
  const [first, second, third] = [
    36,
    36 + directory.length,
    36 + directory.length + entitlements.length,
  ];
  const blobs = [directory, entitlements, cms];
  const length = 36 + blobs.reduce((sum, blob) => sum + blob.length, 0);
  return big(0xfade0cc0, length, 3, 0, first, 5, second, 0x10000, third, ...blobs);
}

function signed(blob: Buffer): Buffer {
  const at = 32 + 16;
  return built([command(0x1d, at, blob.length)], blob);
}

const FULL = built(
  [
    segment('__TEXT', 64n, 5),
    library(0x0c, '/usr/lib/libSystem.B.dylib'),
    library(0x80000018, '@rpath/libweak.dylib'),
    command(0x8000001c, 12, '@executable_path/lib\0'),
    command(0x1b, Buffer.from('00112233445566778899aabbccddeeff', 'hex')),
    command(0x32, 1, 0x000b0301, 0x000c0000, 0),
    command(0x80000028, 0x1000n, 0n),
    command(0x2c, 0, 16, 1, 0),
  ],
  Buffer.alloc(64),
);

describe('a parsed Mach-O program', () => {
  it('has libraries, paths, identity, system and entry', () => {
    const file = program(FULL);
    assert.deepEqual(file.libraries, ['/usr/lib/libSystem.B.dylib', '@rpath/libweak.dylib']);
    assert.deepEqual(file.searchPaths, ['@executable_path/lib']);
    assert.equal(file.uuid, '00112233-4455-6677-8899-aabbccddeeff');
    assert.equal(file.platform, 'macOS');
    assert.equal(file.minimumVersion, '11.3.1');
    assert.deepEqual(file.entry, { kind: 'main', at: 0x1000 });
    assert.deepEqual(file.oddities, []);
  });

  it('has the expected tags', () => {
    assert.deepEqual(tagsOf(FULL), ['MACHO', 'MACHO_ENCRYPTED', 'MACHO_UNSIGNED', 'MACHO_X86_64']);
  });

  it('may have its entry point in a thread command', () => {
    const registers = Buffer.alloc(168);
    registers.writeBigUInt64LE(0x100001234n, 128);
    const bytes = built([command(0x05, 4, 42, registers)]);
    assert.deepEqual(program(bytes).entry, { kind: 'thread', at: 0x100001234 });
  });

  it('has the install name of a library', () => {
    const bytes = built([library(0x0d, '/usr/lib/libfixture.dylib')]);
    bytes.writeUInt32LE(6, 12);
    assert.equal(program(bytes).installName, '/usr/lib/libfixture.dylib');
    assert.ok(tagsOf(bytes).includes('MACHO_DYLIB'));
  });

  it('has a signer', () => {
    const bytes = signed(signature(500));
    const { tags, allFacts } = inspect(bytes);
    assert.equal(tags.get('MACHO_SIGNED')?.note, 'com.example.fixture, TEAM123456');
    assert.equal(allFacts['entitlements'], '<plist/>');
  });

  it('may be signed ad hoc', () => {
    assert.ok(tagsOf(signed(signature(0))).includes('MACHO_ADHOC_SIGNED'));
    assert.ok(tagsOf(signed(signature(500, 2))).includes('MACHO_ADHOC_SIGNED'));
  });

  it('is tagged for a writable and executable segment, and for a packer', () => {
    assert.ok(tagsOf(built([segment('__TEXT', 0n, 7)])).includes('RWX_SEGMENT'));
    assert.ok(tagsOf(built([segment('upxTEXT', 0n, 5)])).includes('PACKED_UPX'));
  });

  it('is the same for other widths and byte orders', () => {
    const old = big(0xfeedface, 18, 0, 2, 1, 24, 0, 0x1b, 24, Buffer.alloc(16, 0xab));
    const file = program(old);
    assert.deepEqual([file.bits, file.bigEndian, file.processor], [32, true, 18]);
    assert.equal(file.uuid, 'abababab-abab-abab-abab-abababababab');
    assert.ok(tagsOf(old).includes('MACHO_PPC'));
  });
});

/** The output of LLVM's tools for a fixture. */
interface Expected {
  readonly segments: readonly object[];
  readonly sections: readonly string[];
  readonly minimumVersion: string;
  readonly imported: readonly string[];
  readonly exported: readonly string[];
}

for (const name of ['object-x86-64', 'object-arm64', 'object-x86']) {
  it(`parsing the Mach-O fixture "${name}" agrees with LLVM`, () => {
    const folder = new URL('../../../../test/fixtures/analysis/macho/', import.meta.url);
    const known = JSON.parse(readFileSync(new URL(`${name}.out.json`, folder), 'utf8')) as Expected;
    const file = program(fixture(`analysis/macho/${name}`));
    assert.deepEqual(
      file.segments.map(({ name, offset, size }) => ({ name, offset, size })),
      known.segments,
    );
    assert.deepEqual(
      file.segments.flatMap(({ sections }) => sections),
      known.sections,
    );
    assert.equal(file.minimumVersion, known.minimumVersion);
    assert.deepEqual(file.imported, known.imported);
    assert.deepEqual(file.exported, known.exported);
    assert.deepEqual(file.oddities, []);
  });
}

const universal = fixture('analysis/macho/universal');

describe('a universal file', () => {
  it('has each of its parts nested', () => {
    const { nested, tags } = inspect(universal);
    assert.deepEqual(nested.map(({ name }) => name).sort(), ['ARM64', 'x86', 'x86-64']);
    const part = nested.find(({ name }) => name === 'ARM64');
    assert.equal(part?.bytes.compare(fixture('analysis/macho/object-arm64')), 0);
    assert.deepEqual([...tags.keys()], ['MACHO', 'MACHO_UNIVERSAL']);
  });

  it('stops at the budget', () => {
    const findings = recordFindings({ members: 2 });
    void macho.inspect(new Subject(universal, ''), findings);
    assert.equal(findings.nested.length, 2);
    assert.deepEqual(findings.limits, ['members']);
  });

  it('may have 64-bit offsets', () => {
    const bytes = big(0xcafebabf, 1, 0x0100000c, 0, 40n, 28n, 0, 0, FULL.subarray(0, 28));
    assert.deepEqual(
      inspect(bytes).nested.map(({ name, bytes: part }) => [name, part.length]),
      [['ARM64', 28]],
    );
  });

  it('does not contain itself, nor a part twice', () => {
    const one = [7, 0, 0, 68, 0];
    const two = [7, 0, 48, 20, 0];
    const bytes = big(0xcafebabe, 3, ...one, ...two, ...two);
    const { nested, tags } = inspect(bytes);
    assert.equal(nested.length, 0);
    assert.ok(tags.has('MALFORMED_MACHO'));
    const overlapping = Buffer.concat([
      big(0xcafebabe, 2, 7, 0, 48, 20, 0, 7, 0, 50, 10, 0),
      Buffer.alloc(20),
    ]);
    assert.equal(inspect(overlapping).nested.length, 1);
  });
});

describe('a Java class', () => {
  const bytes = Buffer.from('cafebabe0000003400100a00', 'hex');

  it('is not mistaken for a universal file', () => {
    assert.equal(macho.matches(new Subject(bytes, '')), false);
    assert.equal(parseMachO(bytes), undefined);
    const findings = recordFindings();
    assert.ok(javaClass.matches(new Subject(bytes, '')));
    void javaClass.inspect(new Subject(bytes, ''), findings);
    assert.deepEqual([...findings.tags.keys()], ['JAVA_CLASS']);
    assert.deepEqual(findings.allFacts, { version: '52.0', release: 8 });
  });

  it('may have a minor version', () => {
    const old = Buffer.from('cafebabe0003002d', 'hex');
    assert.ok(javaClass.matches(new Subject(old, '')));
    assert.equal(javaClass.matches(new Subject(universal, '')), false);
    assert.equal(javaClass.matches(new Subject(Buffer.from('cafebabe', 'hex'), '')), false);
  });
});

describe('hostile Mach-O files', () => {
  it('with load commands of size 0 are read up to those', () => {
    for (const size of [0, 7, 0xffffffff]) {
      const bytes = built([little(0x1b, size), Buffer.alloc(16)]);
      assert.ok(tagsOf(bytes).includes('MALFORMED_MACHO'));
    }
  });

  it('with billions of load commands are bounded', () => {
    const bytes = built([command(0x1b)], Buffer.alloc(100_000));
    bytes.writeUInt32LE(0xffffffff, 16);
    const { tags, limits } = inspect(bytes);
    assert.ok(tags.has('MALFORMED_MACHO'));
    assert.equal(limits.length, 1);
  });

  it('with segments outside of the file are malformed', () => {
    assert.ok(tagsOf(built([segment('__TEXT', 2n ** 62n, 5)])).includes('MALFORMED_MACHO'));
  });

  it('with texts outside of their command have none', () => {
    assert.deepEqual(program(built([command(0x0c, 4000, 0, 0, 0)])).libraries, ['']);
  });

  it('with an invalid signature are unsigned', () => {
    assert.ok(tagsOf(signed(Buffer.alloc(40))).includes('MACHO_UNSIGNED'));
  });

  it('of any kind cause no exception', () => {
    const goods = [FULL, universal, signed(signature(100)), fixture('analysis/macho/object-arm64')];
    for (const good of goods) {
      fc.assert(
        fc.property(hostileVariants(good), (bytes) => {
          inspect(bytes);
          const subject = new Subject(bytes, '');
          if (javaClass.matches(subject)) void javaClass.inspect(subject, recordFindings());
        }),
        fuzzSettings(),
      );
    }
  });
});
