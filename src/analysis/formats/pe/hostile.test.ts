import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { parsePe, pe } from './pe.ts';

const MEBIBYTE = 2 ** 20;
const NT = 0x80;
const OPTIONAL = NT + 24;
const DIRECTORIES = OPTIONAL + 96;
const SECTIONS = OPTIONAL + 224;
/** The time limit for a crafted file, a small part of that for an analysis. */
const PATIENCE_MS = 10_000;

interface Crafted {
  readonly sizeBytes?: number;
  readonly fill?: number;
  readonly sectionCount?: number;
  /** Addresses by directory index; also offsets, since one section maps the whole file. */
  readonly directories?: Readonly<Record<number, number>>;
}

/** A 32-bit program with a single section at address 0x1000, which is offset 0x1000. */
function craft({
  sizeBytes = MEBIBYTE,
  fill = 0,
  sectionCount = 1,
  directories = {},
}: Crafted = {}) {
  const bytes = Buffer.alloc(sizeBytes, fill);
  bytes.fill(0, 0, 0x400);
  bytes.write('MZ');
  bytes.writeUInt32LE(NT, 0x3c);
  bytes.write('PE\0\0', NT);
  bytes.writeUInt16LE(0x14c, NT + 4);
  bytes.writeUInt16LE(sectionCount, NT + 6);
  bytes.writeUInt16LE(224, NT + 20);
  bytes.writeUInt16LE(0x10b, OPTIONAL);
  bytes.writeUInt32LE(0x1000, OPTIONAL + 32);
  bytes.writeUInt32LE(0x200, OPTIONAL + 36);
  bytes.writeUInt32LE(16, OPTIONAL + 92);
  for (const [index, rva] of Object.entries(directories)) {
    bytes.writeUInt32LE(rva, DIRECTORIES + Number(index) * 8);
    bytes.writeUInt32LE(0x1000, DIRECTORIES + Number(index) * 8 + 4);
  }
  writeSection(bytes, 0, [0x1000, 0x1000]);
  return bytes;
}

function writeSection(bytes: Buffer, index: number, [address, offset]: readonly [number, number]) {
  const at = SECTIONS + index * 40;
  bytes.write('.text', at);
  bytes.writeUInt32LE(bytes.length, at + 8);
  bytes.writeUInt32LE(address, at + 12);
  bytes.writeUInt32LE(bytes.length - offset, at + 16);
  bytes.writeUInt32LE(offset, at + 20);
}

/** Runs the format and checks the time limit. */
async function inspectInTime(bytes: Buffer) {
  const spent = startStopwatch();
  const findings = await inspect(pe, bytes);
  const tookMs = spent();
  assert.ok(tookMs < PATIENCE_MS, `took ${Math.round(tookMs)} ms`);
  assert.ok(JSON.stringify(findings.allFacts).length < 60_000);
  return findings;
}

describe('a hostile Portable Executable', () => {
  it('with 65535 sections over the whole file is read in part', async () => {
    const bytes = craft({
      sizeBytes: 4 * MEBIBYTE,
      sectionCount: 65_535,
      directories: { 0: 0x1000 },
    });
    for (let index = 0; index < 65_535; index++) writeSection(bytes, index, [index * 0x1000, 0]);
    bytes.writeUInt32LE(0xffff_ffff, 0x1000 + 24);
    const { tags, limits } = await inspectInTime(bytes);
    assert.ok(tags.has('MALFORMED_PE'));
    assert.ok(limits.includes('not all sections were read'));
    assert.equal(parsePe(bytes)?.sections.length, 2048);
  });

  it('with thousands of sections and as many imports is read in time', async () => {
    const bytes = craft({ sectionCount: 2048, directories: { 0: 0x80_0000, 1: 0x80_0000 } });
    for (let index = 0; index < 2048; index++) writeSection(bytes, index, [0x100_0000, 0]);
    assert.ok((await inspectInTime(bytes)).tags.has('MALFORMED_PE'));
  });

  it('with headers outside of the file, or overlapping ones, is malformed', async () => {
    for (const lfanew of [0x7fff_ffff, 0xffff_fffc, 0x8000_0000, MEBIBYTE - 2]) {
      const bytes = craft();
      bytes.writeUInt32LE(lfanew, 0x3c);
      assert.equal(parsePe(bytes), undefined);
      assert.ok((await inspectInTime(bytes)).tags.has('MALFORMED_PE'));
    }
    const folded = Buffer.alloc(0x200);
    folded.write('MZ\0\0PE\0\0', 'latin1');
    folded.writeUInt16LE(0x10b, 4 + 24);
    folded.writeUInt32LE(4, 0x3c);
    assert.ok((await inspectInTime(folded)).tags.has('MALFORMED_PE'));
  });

  it('with cyclic resources is visited once', async () => {
    const bytes = craft({ directories: { 2: 0x1000 } });
    bytes.writeUInt16LE(0xffff, 0x1000 + 12);
    bytes.writeUInt16LE(0xffff, 0x1000 + 14);
    for (let index = 0; index < 100_000; index++) {
      bytes.writeUInt32LE(0x8000_0000 + (index % 3) * 8, 0x1000 + 16 + index * 8 + 4);
    }
    const { tags, limits } = await inspectInTime(bytes);
    assert.match(tags.get('MALFORMED_PE')?.note ?? '', /ring/);
    assert.deepEqual(limits, ['not all resources were read']);
  });

  it('with too many resources is read in part', async () => {
    const bytes = craft({ directories: { 2: 0x1000 } });
    bytes.writeUInt16LE(0xffff, 0x1000 + 14);
    for (let index = 0; index < 65_535; index++) {
      bytes.writeUInt32LE(index, 0x1000 + 16 + index * 8);
      bytes.writeUInt32LE(0xf_0000, 0x1000 + 16 + index * 8 + 4);
    }
    bytes.writeUInt32LE(0x2000, 0x1000 + 0xf_0000 - 0x2000);
    const { limits } = await inspectInTime(bytes);
    assert.ok((parsePe(bytes)?.resources.length ?? 0) <= 4096);
    assert.deepEqual(limits, ['not all resources were read']);
  });

  it('with an import table that points at itself has no imports', async () => {
    const bytes = craft({ directories: { 1: 0x1000 } });
    for (let at = 0x1000; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(0x1000, at);
    const { tags } = await inspectInTime(bytes);
    assert.ok(tags.has('MALFORMED_PE'));
    assert.equal(parsePe(bytes)?.imphash, undefined);
  });

  it('with one table shared by thousands of libraries is read in part', async () => {
    const bytes = craft({ fill: 0x41, directories: { 1: 0x1000 } });
    for (let at = 0x1000; at < 0x4_0000; at += 20) {
      bytes.writeUInt32LE(0x5_0000, at);
      bytes.writeUInt32LE(0x6_0000, at + 12);
      bytes.writeUInt32LE(0x5_0000, at + 16);
    }
    for (let index = 0; index < 900; index++) {
      bytes.writeUInt32LE(0x8000_0001 + index, 0x5_0000 + index * 4);
    }
    bytes.writeUInt32LE(0, 0x5_0000 + 900 * 4);
    const { limits } = await inspectInTime(bytes);
    assert.deepEqual(limits, ['not all imports were read']);
  });

  it('with unterminated names of imports and exports is read in part', async () => {
    const bytes = craft({ fill: 0x41, directories: { 0: 0x1000, 1: 0x2000 } });
    bytes.writeUInt32LE(0xffff_ffff, 0x1000 + 24);
    bytes.writeUInt32LE(0x8_0000, 0x1000 + 32);
    for (let at = 0x8_0000; at + 4 <= bytes.length; at += 4)
      bytes.writeUInt32LE(0x4000 + (at % 0x1000), at);
    bytes.fill(0, 0x2000, 0x2014 + 20);
    bytes.writeUInt32LE(0x8_0000, 0x2000);
    bytes.writeUInt32LE(0x6000, 0x200c);
    const { limits } = await inspectInTime(bytes);
    assert.ok(limits.includes('not all exports were read'));
  });

  it('with sections of no size, or outside of the file, is read without them', async () => {
    const bytes = fixture('analysis/pe/hello32');
    const { sectionTableOffset, sections } = parsePe(bytes) ?? assert.fail();
    for (const [index] of sections.entries()) {
      bytes.fill(
        index % 2 === 0 ? 0 : 0xff,
        sectionTableOffset + index * 40 + 8,
        sectionTableOffset + index * 40 + 24,
      );
    }
    assert.ok((await inspectInTime(bytes)).tags.has('MALFORMED_PE'));
  });

  it('with sizes and addresses of all ones in every directory returns', async () => {
    for (const name of ['hello32', 'hello64']) {
      const bytes = fixture(`analysis/pe/${name}`);
      const { optionalOffset, is64 } = parsePe(bytes) ?? assert.fail();
      const start = optionalOffset + (is64 ? 112 : 96);
      bytes.fill(0xff, start - 4, start + 128);
      assert.ok((await inspectInTime(bytes)).tags.has('MALFORMED_PE'));
    }
  });
});
