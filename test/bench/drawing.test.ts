import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawMultiples } from '../../bench/drawing/multiples.ts';
import { element, escapeXml, text } from '../../bench/drawing/svg.ts';
import { cases, excluded, missingCases, readOperations, variants } from '../../bench/flat/cases.ts';

const plan = { title: 'A & B', description: 'less < more', sizes: [10, 100, 1000], limit: 1.3 };

describe('the elements of a drawing', () => {
  it('escape text and attribute values', () => {
    assert.equal(escapeXml('a<b> & "c"'), 'a&lt;b&gt; &amp; &quot;c&quot;');
    assert.equal(
      text({ x: 1, class: 'a"b' }, '<x>'),
      '<text x="1" class="a&quot;b">&lt;x&gt;</text>',
    );
  });

  it('refuse values that are not finite, and round the others', () => {
    assert.throws(() => element('rect', { width: Number.NaN }), /width is NaN/);
    assert.equal(element('rect', { width: 1 / 3 }), '<rect width="0.33"/>');
  });
});

describe('small multiples', () => {
  const series = [
    { name: 'flat', ratios: [1, 1.05, 1.1] },
    { name: 'steep', ratios: [1, 3, 30] },
  ];

  it('draw a chart with a point per size for each series', () => {
    const svg = drawMultiples(series, plan);
    assert.equal(svg.split('<circle ').length - 1, 6);
    assert.equal(svg.split('class="cell').length - 1, 2);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    assert.match(svg, /A &amp; B/);
  });

  it('mark only the series above the limit', () => {
    const svg = drawMultiples(series, plan);
    assert.equal(svg.split('class="cell above"').length - 1, 1);
    assert.match(svg, />30\.00</);
  });

  it('refuse a series without values', () => {
    assert.throws(() => drawMultiples([{ name: 'none', ratios: [Number.NaN] }], plan), /NaN/);
  });
});

describe('the flatness cases', () => {
  const operations = readOperations();

  it('cover every operation of the API', () => {
    assert.deepEqual(missingCases(operations), []);
  });

  it('name operations that exist', () => {
    const known = new Set(operations.map(({ id }) => id));
    const named = [cases, excluded, variants].flatMap((all) => Object.keys(all));
    assert.deepEqual(
      named.filter((id) => !known.has(id)),
      [],
    );
  });

  it('miss an operation that has no case', () => {
    const added = { id: 'newOperation', method: 'GET', path: '/new' };
    assert.deepEqual(missingCases([...operations, added]), ['newOperation']);
  });
});
