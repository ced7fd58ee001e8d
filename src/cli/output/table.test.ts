import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { table } from './table.ts';

describe('table', () => {
  it('makes columns as wide as their widest cell', () => {
    assert.equal(table(['A', 'LONG'], [['wider', 'x']]), 'A      LONG\nwider  x');
  });

  it('shows an empty cell as a hyphen', () => {
    assert.equal(table(['A', 'B'], [['', 'x']]), 'A  B\n-  x');
  });

  it('replaces control characters', () => {
    assert.equal(table(['A'], [['\x1b[2Jgone\u202e']]), 'A\n?[2Jgone?');
  });

  it('continues rows on indented lines if shortening is not enough', () => {
    const id = 'i'.repeat(20);
    const note = 'n'.repeat(50);
    const text = table(['ID', 'STATE', 'C2', 'NOTE'], [[id, 'open', 'c'.repeat(18), note]], {
      maxWidth: 40,
      flexible: [false, false, false, true],
    });
    assert.equal(
      text,
      [
        'ID                    STATE',
        '    C2',
        '    NOTE',
        `${id}  open`,
        `    ${'c'.repeat(18)}`,
        `    ${'n'.repeat(35)}…`,
      ].join('\n'),
    );
    assert.ok(text.split('\n').every((line) => line.length <= 40));
  });

  it('keeps a cell whole that is wider than the terminal and must not be shortened', () => {
    const hash = 'a'.repeat(64);
    const text = table(['HASH', 'NAME'], [[hash, 'x']], { maxWidth: 40 });
    assert.equal(text, `HASH\n    NAME\n${hash}\n    x`);
  });
});
