import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { formats } from '../../src/analysis/formats/index.ts';
import { tagName } from '../../src/analysis/heat.ts';
import { UNKNOWN_FAMILIES } from '../../src/domain/analysis-report.ts';
import { findGenerators, GENERATORS } from './generators.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEAST_FIXTURES = 3;

const tags = extractors.flatMap(({ pages }) => Object.keys(pages).map(tagName));

function ruleFamilies(): readonly string[] {
  return globSync('rules/*.yar', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(`${ROOT}${file}`, 'utf8');
    return [...text.matchAll(/^\s*family = "(.+)"$/gm)].map(([, family = '']) => family);
  });
}

describe('every family', () => {
  for (const { family, pages, category, tags: own = {}, namesFamily } of extractors) {
    it(`of the extractor ${family} has its page`, () => {
      assert.ok(Object.hasOwn(pages, family));
      for (const page of Object.values(pages)) {
        for (const text of [page.name, page.reads, page.versions, page.proof, page.notCovered])
          assert.match(text, /^\S.+\S$/);
        assert.ok(page.references.length > 0);
        assert.ok(page.references.every((url) => URL.canParse(url) && url.startsWith('https://')));
      }
    });

    it(`of the extractor ${family} has a category, and tags that are no hotter than 8`, () => {
      assert.equal(UNKNOWN_FAMILIES.has(tagName(family)), namesFamily === false);
      if (namesFamily !== false) assert.match(category ?? '', /^[A-Z_]+$/);
      for (const [name, [heat, meaning]] of Object.entries(own)) {
        assert.equal(tagName(name), name);
        assert.ok(heat >= 1 && heat <= 8 && meaning !== '', name);
      }
    });
  }

  it('is known by one name, to rules and extractors alike', () => {
    assert.equal(new Set(tags).size, tags.length);
    const plain = (name: string) => name.replace(/[^A-Z0-9]/g, '');
    const others = ruleFamilies().filter((rule) =>
      tags.some(
        (tag) =>
          tag !== rule &&
          (plain(tag).startsWith(plain(rule)) || plain(rule).startsWith(plain(tag))),
      ),
    );
    assert.deepEqual(others, []);
  });

  it('has a name that no format gives to something else', () => {
    const known = new Set(formats.flatMap((format) => Object.keys(format.tags)));
    assert.deepEqual(
      tags.filter((tag) => known.has(tag) && !UNKNOWN_FAMILIES.has(tag)),
      [],
    );
  });
});

describe('the generator of fixtures', () => {
  const generators = findGenerators()
    .filter((file) => file.startsWith('families/'))
    .map((file) => basename(file, '.ts'));

  for (const name of generators) {
    it(`of ${name} has made a plain one, a variant and one that gives nothing at least`, () => {
      const made = globSync(`families/${name}-*.in.gz.b64`, { cwd: `${GENERATORS}..` });
      assert.ok(made.length >= LEAST_FIXTURES, made.join(', '));
      assert.ok(made.some((one) => /-(?:damaged|cut|harmless|lookalike)\./.test(one)));
    });
  }

  it('is there for every family', () => {
    const known = generators.map((name) => name.replaceAll('-', ''));
    const without = extractors
      .map(({ family }) => family.replace(/[^a-z0-9]/g, ''))
      .filter((family) => !known.some((name) => family.startsWith(name)));
    assert.deepEqual(without, []);
  });
});
