import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawFlameGraph, layerOf, layerShares, layOut } from '../../bench/drawing/flame-graph.ts';
import { type CpuProfile, fileOf, foldProfile, newFrame } from '../../bench/drawing/profile.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 1 });

/** Samples of 100 µs each: one of `handle` itself, two of `query` under it, one idle. */
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 4] },
    { id: 2, callFrame: frame('handle<a>', 'file:///work/src/http/server.ts'), children: [3] },
    { id: 3, callFrame: frame('query', 'file:///work/src/storage/tables/reports.ts') },
    { id: 4, callFrame: frame('(idle)') },
  ],
  startTime: 1000,
  samples: [2, 3, 3, 4, 4],
  timeDeltas: [0, 100, 100, 100, 100],
};
const always = { from: 0, to: Number.POSITIVE_INFINITY };

function folded(window = always) {
  const root = newFrame('', '');
  foldProfile(root, profile, window);
  return root;
}

describe('a folded profile', () => {
  it('adds the time of each sample to its function and the callers, without idle time', () => {
    const root = folded();
    const [handle] = root.children.values();
    const [query] = handle?.children.values() ?? [];
    assert.equal(root.total, 300);
    assert.deepEqual([handle?.total, handle?.self], [300, 100]);
    assert.deepEqual([query?.total, query?.self], [200, 200]);
  });

  it('counts only the samples within the window', () => {
    assert.equal(folded({ from: 1100, to: 1150 }).total, 100);
  });

  it('adds the profiles of several threads', () => {
    const root = folded();
    foldProfile(root, profile, always);
    assert.equal(root.total, 600);
    assert.equal(root.children.size, 1);
  });

  it('names files by their path in the repository', () => {
    assert.equal(fileOf('file:///x/y/src/http/server.ts'), 'src/http/server.ts');
    assert.equal(fileOf('file:///x/node_modules/a/b.js'), 'node_modules/a/b.js');
    assert.equal(fileOf('node:http'), 'node:http');
  });
});

describe('a flame graph', () => {
  it('gives each function the width of its time, within its caller', () => {
    const boxes = layOut(folded(), 600);
    assert.deepEqual(
      boxes.map(({ frame: { name }, depth, x, width }) => [name, depth, x, width]),
      [
        ['handle<a>', 0, 0, 600],
        ['query', 1, 0, 400],
      ],
    );
  });

  it('has widths of a level that sum up to at most the whole', () => {
    const sums = new Map<number, number>();
    for (const { depth, width } of layOut(folded(), 600))
      sums.set(depth, (sums.get(depth) ?? 0) + width);
    for (const sum of sums.values()) assert.ok(sum <= 600);
  });

  it('counts the self time of every function once among the layers', () => {
    const shares = layerShares(folded());
    assert.deepEqual(
      [...shares],
      [
        ['http', 100],
        ['storage', 200],
      ],
    );
    assert.equal(layerOf({ name: '(garbage collector)', file: '' }), 'gc');
    assert.equal(layerOf({ name: 'writeUtf8String', file: '' }), 'native');
    assert.equal(layerOf({ name: 'runQuery', file: 'src/storage/sqlite/statements.ts' }), 'sqlite');
  });

  it('escapes names and contains no invalid number', () => {
    const svg = drawFlameGraph(folded(), { title: 'a & b', description: 'c' });
    assert.match(svg, /handle&lt;a&gt; \(src\/http\/server\.ts\): 100\.0 %, itself 33\.3 %/);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity|handle<a>/);
  });

  it('is drawn for an empty profile too', () => {
    const svg = drawFlameGraph(newFrame('', ''), { title: 'a', description: 'b' });
    assert.doesNotMatch(svg, /NaN/);
  });
});
