import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { LIMITS } from '../../limits.ts';
import { parsePe } from '../pe/pe.ts';
import { upx } from './upx.ts';

const packed = (name: string) => fixture(`analysis/upx/${name}`);

async function unpacked(bytes: Buffer): Promise<Buffer> {
  const { nested, tags } = await inspect(upx, bytes);
  const isErased = !bytes.subarray(0, 0x1000).includes('UPX!');
  const expected = isErased ? ['UPX_MARKS_ERASED', 'UPX_UNPACKED'] : ['UPX_UNPACKED'];
  assert.deepEqual([...tags.keys()], expected);
  const [program] = nested;
  assert.ok(program !== undefined && nested.length === 1);
  return program.bytes;
}

describe('unpacking UPX', () => {
  for (const [name, original] of [
    ['x86-64-nrv2b', 'x86-64-plain'],
    ['x86-64-lzma', 'x86-64-plain'],
    ['arm-nrv2e', 'arm-plain'],
    ['mips-nrv2d', 'mips-plain'],
  ] as const) {
    it(`restores every byte of ${name}`, async () => {
      assert.deepEqual(await unpacked(packed(name)), packed(original));
    });
  }

  it('needs neither marks nor stated sizes, which bots overwrite', async () => {
    assert.deepEqual(await unpacked(packed('arm-no-marks')), packed('arm-plain'));
  });

  it('omits section headers that are not found', async () => {
    const bytes = packed('arm-nrv2e');
    const program = await unpacked(bytes.subarray(0, bytes.length - 0x400));
    assert.equal(program.readUInt32LE(32), 0, 'offset of section headers');
    assert.equal(program.readUInt16LE(48), 0, 'count of section headers');
    assert.ok(program.includes('line 1 of words'));
  });

  for (const [name, original] of [
    ['pe32-nrv2b', 'pe32-plain'],
    ['pe64-nrv2e', 'pe64-plain'],
    ['pe64-lzma', 'pe64-plain'],
    ['pe32-no-marks', 'pe32-plain'],
  ] as const) {
    it(`restores code, data, imports and resources of ${name}`, async () => {
      const plain = packed(original);
      const program = await unpacked(packed(name));
      const [expected, found] = [parsePe(plain), parsePe(program)];
      assert.ok(expected && found);
      assert.equal(found.imphash, expected.imphash);
      assert.deepEqual(found.resources, expected.resources);
      assert.deepEqual(found.version, expected.version);
      assert.deepEqual(found.malformed, []);
      for (const { name: section, rawOffset, rawSize, virtualSize } of expected.sections) {
        // Both are rebuilt: one at another address, one not at all.
        if (section === '.idata' || section === '.reloc') continue;
        const end = rawOffset + Math.min(rawSize, virtualSize);
        assert.deepEqual(program.subarray(rawOffset, end), plain.subarray(rawOffset, end), section);
      }
    });
  }

  it('restores the overlay of the packed program', async () => {
    const program = await unpacked(Buffer.concat([packed('pe32-nrv2b'), Buffer.from('appended')]));
    assert.ok(program.subarray(-8).equals(Buffer.from('appended')));
  });

  for (const name of ['mips-damaged', 'pe32-damaged']) {
    it(`reports that ${name} could not be unpacked, and nests nothing`, async () => {
      const { nested, tags } = await inspect(upx, packed(name));
      assert.deepEqual([...tags.keys()], ['UPX_NOT_UNPACKED']);
      assert.deepEqual(nested, []);
    });
  }

  it('ignores programs that are not packed', async () => {
    for (const name of ['x86-64-plain', 'arm-plain', 'mips-plain', 'pe32-plain', 'pe64-plain']) {
      assert.deepEqual([...(await inspect(upx, packed(name))).tags.keys()], [], name);
    }
  });

  it('stays within the remaining budget and depth', async () => {
    for (const name of ['arm-nrv2e', 'pe64-nrv2e']) {
      const { nested, limits } = await inspect(upx, packed(name), { bytes: 2000 });
      assert.deepEqual(nested, []);
      assert.deepEqual(limits, ['the unpacked program is too large']);
    }
    const deep = await inspect(upx, packed('arm-nrv2e'), { depth: LIMITS.depth });
    assert.deepEqual(deep.nested, []);
  });

  it('stops when the time is over', async () => {
    const over = await inspect(upx, packed('x86-64-lzma'), { isOver: () => true });
    assert.deepEqual(over.nested, []);
  });

  it('tries few of many candidates for the last block, and checks the time', async () => {
    const good = Buffer.from(packed('arm-nrv2e'));
    const stated = good.readUInt32LE(28) + good.readUInt16LE(42) * good.readUInt16LE(44) + 16;
    assert.equal(good.readUInt32LE(stated), packed('arm-plain').length);
    good.writeUInt32LE(4_000_000, stated);
    // Its one segment ends at 11,895; the rest up to the stated size is one block.
    const decoy = Buffer.alloc(16, 0xff);
    decoy.writeUInt32LE(4_000_000 - 11_895, 0);
    decoy.writeUInt32LE(4, 4);
    decoy.writeUInt8(2, 8);
    const bytes = Buffer.concat([good, ...Array.from({ length: 10_000 }, () => decoy)]);
    let timeChecks = 0;
    const isOver = () => {
      timeChecks += 1;
      return false;
    };
    const { nested } = await inspect(upx, bytes, { isOver });
    assert.equal(nested[0]?.bytes.length, 4_000_000);
    assert.ok(timeChecks > 10 && timeChecks < 40, `${timeChecks} timeChecks`);
  });

  it('refuses hundreds of sections that share all their bytes', async () => {
    const few = await inspect(upx, withSections(1));
    assert.ok((few.nested[0]?.bytes.length ?? 0) >= LARGE + 0x10000);
    const many = await inspect(upx, withSections(1000));
    assert.deepEqual([...many.tags.keys()], ['UPX_NOT_UNPACKED']);
    assert.deepEqual(many.nested, []);
  });

  for (const name of ['arm-nrv2e', 'x86-64-lzma', 'pe32-nrv2b', 'pe64-lzma']) {
    it(`returns for any damage to ${name}`, async () => {
      const good = packed(name);
      await fc.assert(
        fc.asyncProperty(hostileVariants(good), async (bytes) => {
          const { nested } = await inspect(upx, bytes, { bytes: 4_000_000 });
          for (const program of nested) assert.ok(program.bytes.length <= 4_000_000);
        }),
        fuzzSettings(),
      );
    });
  }
});

const LARGE = 8 * 1024 * 1024;

/** A packed program whose image is zeros and headers of `count` sections, each the whole image. */
function withSections(count: number): Buffer {
  const plain = packed('pe32-plain');
  const outer = Buffer.from(packed('pe32-nrv2b'));
  const [inner, nt] = [plain.readUInt32LE(0x3c), outer.readUInt32LE(0x3c)];
  const tableAt = inner + 24 + plain.readUInt16LE(inner + 20);
  const headers = Buffer.from(plain.subarray(inner, tableAt));
  headers.writeUInt16LE(count, 6);
  // No imports, resources or relocations.
  headers.fill(0, 24 + 96, 24 + 96 + 16 * 8);
  const section = Buffer.alloc(40);
  section.write('.data');
  const start = outer.readUInt32LE(nt + 24 + outer.readUInt16LE(nt + 20) + 12);
  for (const [at, value] of [LARGE, start, LARGE, 0x10000].entries())
    section.writeUInt32LE(value, 8 + at * 4);
  const headersOffset = Buffer.alloc(4);
  headersOffset.writeUInt32LE(LARGE);
  const tail = Buffer.concat([
    headers,
    ...Array.from({ length: count }, () => section),
    headersOffset,
  ]);
  const packedImage = packWithNrv2b(LARGE, tail);
  const mark = outer.indexOf('UPX!');
  outer.writeUInt32LE(LARGE * 2, nt + 24 + 56);
  outer.writeUInt8(2, mark + 6);
  outer.writeUInt32LE(LARGE + tail.length, mark + 16);
  outer.writeUInt32LE(packedImage.length, mark + 20);
  return Buffer.concat([outer.subarray(0, mark + 32), packedImage]);
}

/** `count` zeros, then literal bytes, in the format of `nrv.ts` with words of 32 bits. */
function packWithNrv2b(zeros: number, rest: Buffer): Buffer {
  const out: number[] = [];
  let word = 0;
  let left = 0;
  const bit = (value: number) => {
    if (left === 0) word = out.push(0, 0, 0, 0) - 4;
    left = left === 0 ? 31 : left - 1;
    out[word + (left >> 3)] = (out[word + (left >> 3)] ?? 0) | (value << (left & 7));
  };
  const number = (value: number) => {
    const bits = value.toString(2).slice(1);
    for (const [at, sign] of [...bits].entries()) {
      bit(Number(sign));
      bit(at === bits.length - 1 ? 1 : 0);
    }
  };
  const literal = (byte: number) => {
    bit(1);
    out.push(byte);
  };
  literal(0);
  bit(0);
  // Distance one, for all but the first.
  number(3);
  out.push(0);
  bit(0);
  bit(0);
  number(zeros - 1 - 3);
  for (const byte of rest) literal(byte);
  bit(0);
  number(0x100_0002);
  out.push(0xff);
  return Buffer.from(out);
}
