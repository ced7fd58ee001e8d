import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Reader } from '../../reader.ts';
import { decodeIl, type Instruction, readBody } from './il.ts';

const decode = (code: Buffer): Instruction[] => [...decodeIl({ offset: 0, code })];

/** All opcodes, from the runtime's reflection. */
const OPCODES = JSON.parse(
  readFileSync(
    new URL('../../../../test/fixtures/analysis/dotnet/opcodes.json', import.meta.url),
    'utf8',
  ),
) as { value: number; name: string; operand: string }[];

const SIZES: Readonly<Record<string, number>> = {
  InlineNone: 0,
  ShortInlineBrTarget: 1,
  ShortInlineI: 1,
  ShortInlineVar: 1,
  InlineVar: 2,
  InlineBrTarget: 4,
  InlineI: 4,
  InlineField: 4,
  InlineMethod: 4,
  InlineSig: 4,
  InlineString: 4,
  InlineTok: 4,
  InlineType: 4,
  InlineSwitch: 4,
  ShortInlineR: 4,
  InlineI8: 8,
  InlineR: 8,
};

const bytesOf = (value: number) => (value > 0xff ? [value >> 8, value & 0xff] : [value]);

describe('decoding of IL', () => {
  it('knows every opcode of the runtime, its name and how long its operand is', () => {
    assert.ok(OPCODES.length > 215);
    for (const { value, name, operand } of OPCODES) {
      const code = Buffer.from([...bytesOf(value), ...Buffer.alloc(SIZES[operand] ?? -1), 0x2a]);
      const [found, next] = decode(code);
      assert.equal(found?.opcode, value, name);
      assert.equal(next?.name, 'ret', name);
      assert.ok(name.startsWith(found.name), `${found.name} for ${name}`);
    }
  });

  it('knows no other opcode', () => {
    const known = new Set(OPCODES.map(({ value }) => value));
    // A reserved prefix that only some runtimes list.
    known.add(0xfe19);
    for (let value = 0; value < 0x200; value += 1) {
      const opcode = value < 0x100 ? value : 0xfe00 + (value & 0xff);
      if (known.has(opcode) || opcode === 0xfe) continue;
      assert.deepEqual(decode(Buffer.from([...bytesOf(opcode), ...Buffer.alloc(16)])), []);
    }
  });

  it('decodes short forms as the long form', () => {
    const code = Buffer.from('15161e1f9c2088130000020e070b2bfe', 'hex');
    assert.deepEqual(
      decode(code).map(({ name, operand }) => [name, operand]),
      [
        ['ldc.i4', -1],
        ['ldc.i4', 0],
        ['ldc.i4', 8],
        ['ldc.i4', -100],
        ['ldc.i4', 5000],
        ['ldarg', 0],
        ['ldarg', 7],
        ['stloc', 1],
        ['br', -2],
      ],
    );
  });

  it('reads 64-bit and floating-point numbers', () => {
    const code = Buffer.concat([
      Buffer.from([0x21, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0x22, 0, 0, 0x80, 0x3f]),
      Buffer.from([0x23, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f]),
    ]);
    assert.deepEqual(
      decode(code).map(({ operand }) => operand),
      [-1, 1, 0.5],
    );
  });

  it('skips the targets of a switch', () => {
    const code = Buffer.from([0x45, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0x2a]);
    assert.deepEqual(
      decode(code).map(({ name, offset }) => [name, offset]),
      [
        ['switch', 0],
        ['ret', 13],
      ],
    );
  });

  it('ends at a switch with more targets than there is code', () => {
    for (const count of [0x80000000, 0xffffffff, 3]) {
      const code = Buffer.alloc(16);
      code[0] = 0x45;
      code.writeUInt32LE(count, 1);
      assert.deepEqual(decode(code), []);
    }
  });

  it('ends at an operand that is cut off', () => {
    assert.deepEqual(
      decode(Buffer.from([0x00, 0x20, 1, 2])).map(({ name }) => name),
      ['nop'],
    );
    assert.deepEqual(decode(Buffer.from([0xfe])), []);
  });
});

describe('the body of a method', () => {
  it('may have a tiny header', () => {
    const body = readBody(new Reader(Buffer.from([0xff, 0x0a, 0x16, 0x2a, 0xff])), 1);
    assert.deepEqual(body, { offset: 2, code: Buffer.from([0x16, 0x2a]) });
  });

  it('may have a fat header', () => {
    const bytes = Buffer.from('133008000200000000000000162a', 'hex');
    assert.deepEqual(readBody(new Reader(bytes), 0), { offset: 12, code: bytes.subarray(12) });
  });

  it('is undefined outside of the file or without a header', () => {
    const bytes = Buffer.from('13300800ffffffff00000000162a', 'hex');
    assert.equal(readBody(new Reader(bytes), 0), undefined);
    assert.equal(readBody(new Reader(bytes), 100), undefined);
    assert.equal(readBody(new Reader(Buffer.from([0x01, 0x02])), 0), undefined);
  });
});
