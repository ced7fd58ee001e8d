import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { continued, fill, twoColumns, usageParts, widthOf } from './layout.ts';

describe('the layout of help', () => {
  it('uses the width of a terminal from 40 to 100 columns, else 80', () => {
    const stream = (columns?: number) => Object.assign(new Writable(), { columns });
    assert.deepEqual(
      [undefined, 10, 66, 90, 300].map((columns) => widthOf(stream(columns))),
      [80, 40, 66, 90, 100],
    );
  });

  it('fills lines', () => {
    assert.deepEqual(fill(['aaa', 'bb', 'cccccccc', 'd'], 6), ['aaa bb', 'cccccccc', 'd']);
    assert.deepEqual(fill([], 6), []);
  });

  it('aligns descriptions, below a label that is too long', () => {
    assert.deepEqual(
      twoColumns(
        [
          ['--a', 'one two'],
          ['--bcdef long|longer|longest', 'three'],
        ],
        { width: 17, label: 5 },
      ),
      [
        '  --a    one two',
        '  --bcdef long|',
        '          longer|',
        '          longest',
        '         three',
      ],
    );
  });

  it('keeps the parts of a usage line together', () => {
    assert.deepEqual(usageParts('<id or name>… --c2 <host:port> [--tag <tag>]… [--a|--b]'), [
      ...['<id or name>…', '--c2 <host:port>', '[--tag <tag>]…', '[--a|--b]'],
    ]);
    assert.deepEqual(usageParts('<a> --method dns|http --all [--x]'), [
      ...['<a>', '--method dns|http', '--all', '[--x]'],
    ]);
  });

  it('continues a command so that it can be pasted', () => {
    assert.deepEqual(continued("rapsheet search '*.ply.example' --limit 5 > out", 30), [
      'rapsheet search \\',
      "  '*.ply.example' --limit 5 \\",
      '  > out',
    ]);
    assert.deepEqual(continued('rapsheet help', 30), ['rapsheet help']);
  });
});
