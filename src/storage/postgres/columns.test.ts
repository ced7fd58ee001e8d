import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnTypes, toArgument } from './columns.ts';

const read = (type: number, text: string) => columnTypes.getTypeParser(type, 'text')(text);

describe('columns of PostgreSQL', () => {
  it('read timestamps as SQLite returns them', () => {
    for (const [text, expected] of [
      ['2026-11-15 07:54:22+00', '2026-11-15T07:54:22.000Z'],
      ['2026-11-15 07:54:22.1+00', '2026-11-15T07:54:22.100Z'],
      ['2026-11-15 07:54:22.123456+00', '2026-11-15T07:54:22.123Z'],
      ['2026-11-15 09:54:22.123+02', '2026-11-15T07:54:22.123Z'],
    ] as const)
      assert.equal(read(1184, text), expected);
  });

  it('read integers and sums as numbers', () => {
    assert.equal(read(20, '4503599627370496'), 4_503_599_627_370_496);
    assert.equal(read(1700, '42'), 42);
  });

  it('replace NUL in a text, which PostgreSQL does not allow', () => {
    assert.equal(toArgument('a\0b'), 'a\uFFFDb');
    assert.equal(toArgument('ab'), 'ab');
    assert.deepEqual(toArgument(Buffer.from([0])), Buffer.from([0]));
  });
});
