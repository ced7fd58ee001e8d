import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Figures } from '../../bench/figures.ts';
import { flatPage, flatPlot } from '../../bench/flat/page.ts';
import { peerTable } from '../../bench/peers/table.ts';
import { startCommandOf, THIS_TREE } from '../../bench/trees.ts';

const figure = { name: 'a create', unit: 'µs', target: 100, better: 'less' } as const;

describe('the table of figures', () => {
  it('shows the median of each column with the least and greatest value', () => {
    const figures = new Figures(['before', 'after']);
    for (const value of [250, 300, 280]) figures.add(figure, 'before', value);
    for (const value of [90, 95, 99]) figures.add(figure, 'after', value);
    assert.match(
      String(figures),
      /\| a create \| ≤ 100 µs \| 280 \(250–300\) \| 95 \(90–99\) \| holds \|/,
    );
  });

  it('judges the last column', () => {
    const figures = new Figures(['measured']);
    figures.add(figure, 'measured', 120);
    figures.add({ name: 'for information', unit: 'µs', better: 'less' }, 'measured', 1.234);
    assert.match(String(figures), /\| 120 \| MISSED \|/);
    assert.match(String(figures), /\| for information \| µs \| 1\.23 \| {2}\|/);
  });
});

describe('the flatness page', () => {
  const report = {
    sizes: [10_000, 1_000_000],
    rows: [
      { id: 'lookUp', method: 'GET', path: '/private/sample/{hash}', micros: [50, 55] },
      { id: 'search', method: 'GET', path: '/api/search', micros: [100, 200] },
    ],
    unmeasured: [['newOperation', 'no case'] as const],
    measuredOn: 'Measured.',
  };

  it('names the operations above the limit and those that are not measured', () => {
    const page = flatPage(report);
    assert.match(page, /1 of 2 cases stay below 1\.3; above it: `search`\./);
    assert.match(page, /Not measured: `newOperation` \(no case\)\./);
    assert.match(page, /\| `lookUp` \| .* \| 50\.0 \| 55\.0 \| 1\.10 \|/);
  });

  it('has a plot with a chart per operation', () => {
    assert.equal(flatPlot(report).split('class="cell').length - 1, 2);
  });
});

describe('the table of peers', () => {
  it('compares sizes, and each peer with ours', () => {
    const row = { operation: 'look up', memoryMb: 100 };
    const table = peerTable(
      [
        { ...row, peer: 'Rapsheet', count: 10, micros: 40 },
        { ...row, peer: 'Rapsheet', count: 300, micros: 50 },
        { ...row, peer: 'Other', count: 10, micros: 1000 },
        { ...row, peer: 'Other', count: 300, micros: 2000 },
      ],
      [10, 300],
    );
    assert.match(table, /\| Other, look up \| 1,000 \| 2,000 \| 2\.00 \| 40 \| 100 \| 100 \|/);
  });
});

describe('the start command', () => {
  it('is that of npm start', () => {
    const { entry, flags } = startCommandOf(THIS_TREE);
    assert.ok(entry.startsWith(THIS_TREE));
    assert.ok(flags.every((flag) => flag.startsWith('-')));
  });

  it('is refused if the script is not understood', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rapsheet-tree-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'make' } }));
    assert.throws(() => startCommandOf(folder), /make/);
    rmSync(folder, { recursive: true });
  });
});
