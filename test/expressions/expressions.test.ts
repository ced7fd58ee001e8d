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
  // Those that were checked before are known by their digests; `npm run expressions` looks at all
  // again.
  it('take no more than linear time, whatever text they meet', async () => {
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

  it('are all there to be read: none is put together as the program runs', () => {
    assert.deepEqual(computed, []);
  });

  it('have no exceptions and no digests that nothing needs any more', () => {
    const all = new Set(expressions.map(shown));
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter((one) => !all.has(one)),
      [],
    );
    const digests = new Set(expressions.map(digestOf));
    const stale = [...readChecked()].filter((digest) => !digests.has(digest));
    assert.deepEqual(stale, [], 'run: npm run expressions -- --write');
  });
});

describe('the search for expressions', () => {
  it('finds literals wherever they stand, and no division', () => {
    const text = 'const a = b / c / d; // /x/\nconst e = f.replace(/a+$/g, "/y/");';
    assert.deepEqual(expressionsOfSource('a.ts', text).expressions, [
      { location: 'a.ts:2', source: 'a+$', flags: 'g' },
    ]);
  });

  it('finds calls that compile a text', () => {
    const text = 'const a = new RegExp(b);\nconst c = RegExp(d, "i");';
    assert.deepEqual(expressionsOfSource('a.ts', text).computed, ['a.ts:1', 'a.ts:2']);
  });

  it('reads the rules too', () => {
    assert.ok(expressions.some(({ location }) => location.startsWith('rules/')));
  });
});

describe('the judge of expressions', () => {
  it('finds time that grows with the square of a text, its cube, or exponentially', async () => {
    assert.match((await growthOf('\\s+$')) ?? '', /^2nd degree polynomial/);
    assert.match((await growthOf('[?&][^=&]*k[^=&]*=')) ?? '', /^3rd degree polynomial/);
    assert.match((await growthOf('^(?:a|a)+$')) ?? '', /^exponential/);
  });

  it('takes a bounded repeat for a constant, unless such repeats are nested', async () => {
    assert.equal(await growthOf('[a-z]{1,63}x{0,16}$'), undefined);
    assert.match(
      (await growthOf('^(?:\\w{1,64}-?){1,64}$')) ?? '',
      /^exponential.* but for its bounds$/,
    );
  });
});
