import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ArrayArgument, arrayBytes } from './array-bytes.ts';

const hexOf = (type: string, elements: readonly unknown[]) =>
  arrayBytes(new ArrayArgument(type, elements))?.toString('hex');

describe('an array in the binary format of PostgreSQL', () => {
  it('holds texts and nulls', () => {
    assert.equal(
      hexOf('text', ['ä', null, '']),
      ['00000001', '00000001', '00000019', '00000003', '00000001'].join('') +
        ['00000002', 'c3a4', 'ffffffff', '00000000'].join(''),
    );
  });

  it('holds numbers, bytes and times', () => {
    const after = (header: string) => `0000000100000000${header}00000001`;
    assert.equal(
      hexOf('bigint', [-2, 2 ** 52]),
      `${after('0000001400000002')}00000008fffffffffffffffe000000080010000000000000`,
    );
    assert.equal(
      hexOf('bytea', [new Uint8Array([0, 255])]),
      `${after('0000001100000001')}0000000200ff`,
    );
    assert.equal(
      hexOf('timestamp with time zone', ['2000-01-01T00:00:00.001Z', '1999-12-31T23:59:59.999Z']),
      `${after('000004a000000002')}0000000800000000000003e800000008fffffffffffffc18`,
    );
  });

  it('grows with its elements', () => {
    const long = 'é'.repeat(100_000);
    const bytes = arrayBytes(new ArrayArgument('text', ['a', long, 'b']));
    assert.equal(bytes?.length, 20 + 3 * 4 + 2 + 2 * long.length);
    assert.equal(bytes?.toString('utf8', 29, 29 + 2 * long.length), long);
    assert.equal(bytes?.at(-1), 'b'.charCodeAt(0));
  });

  it('is left to the text form for other types and values', () => {
    for (const [type, element] of [
      ['integer', 1],
      ['text', 1],
      ['bigint', 1.5],
      ['bigint', '1'],
      ['bytea', '\\x00'],
      ['timestamp with time zone', '2026-01-01'],
      ['timestamp with time zone', '2026-01-01 00:00:00.12345'],
      ['timestamp with time zone', '2026-01-01 00:00:00.1234'],
      ['timestamp with time zone', '24 characters of nothinZ'],
    ] as const)
      assert.equal(hexOf(type, [element]), undefined);
    assert.equal(hexOf('text', []), undefined);
  });
});
