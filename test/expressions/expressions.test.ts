import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digestOf, readChecked } from './checked.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { type Expression, expressionsOfSource, findExpressions } from './find.ts';
import { superlinearGrowth } from './growth.ts';

const { expressions, computed } = findExpressions();
const shown = ({ source, flags }: Expression) => `/${source}/${flags}`;
const growthOf = (source: string, flags = '') =>
  superlinearGrowth({ location: 'here', source, flags });

describe('regular expressions of sources and rules', () => {
  // Expressions whose digests are recorded are skipped; `npm run check -- expressions` checks all.
  it('take at most linear time for any text', async () => {
    assert.ok(expressions.length > 300, `only ${expressions.length} were found`);
    const checked = readChecked();
    const slow: string[] = [];
    for (const expression of expressions) {
      if (checked.has(digestOf(expression)) || shown(expression) in EXCEPTIONS) continue;
      const growth = await superlinearGrowth(expression);
      if (growth) slow.push(`${expression.location}: ${shown(expression)}: ${growth}`);
    }
    assert.deepEqual(slow, []);
  });

  it('are literals, never built at run time', () => {
    assert.deepEqual(computed, []);
  });

  it('have no unused exceptions or digests', () => {
    const all = new Set(expressions.map(shown));
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter((one) => !all.has(one)),
      [],
    );
    const digests = new Set(expressions.map(digestOf));
    const stale = [...readChecked()].filter((digest) => !digests.has(digest));
    assert.deepEqual(stale, [], 'run: npm run check -- expressions --write');
  });
});

describe('the search for expressions', () => {
  it('finds literals, and ignores divisions and comments', () => {
    const text = 'const a = b / c / d; // /x/\nconst e = f.replace(/a+$/g, "/y/");';
    assert.deepEqual(expressionsOfSource('a.ts', text).expressions, [
      { location: 'a.ts:2', source: 'a+$', flags: 'g' },
    ]);
  });

  it('finds calls of RegExp', () => {
    const text = 'const a = new RegExp(b);\nconst c = RegExp(d, "i");';
    assert.deepEqual(expressionsOfSource('a.ts', text).computed, ['a.ts:1', 'a.ts:2']);
  });

  it('includes the YARA rules', () => {
    assert.ok(expressions.some(({ location }) => location.startsWith('rules/')));
  });
});

describe('the check of an expression', () => {
  it('finds quadratic, cubic and exponential time', async () => {
    assert.match((await growthOf('\\s+$')) ?? '', /^2nd degree polynomial/);
    assert.match((await growthOf('[?&][^=&]*k[^=&]*=')) ?? '', /^3rd degree polynomial/);
    assert.match((await growthOf('^(?:a|a)+$')) ?? '', /^exponential/);
  });

  it('treats a bounded repeat as constant, unless such repeats are nested', async () => {
    assert.equal(await growthOf('[a-z]{1,63}x{0,16}$'), undefined);
    assert.match(
      (await growthOf('^(?:\\w{1,64}-?){1,64}$')) ?? '',
      /^exponential.* but for its bounds$/,
    );
  });
});
