import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { formats } from '../../src/analysis/formats/index.ts';
import { tagName } from '../../src/analysis/tags.ts';
import { UNKNOWN_FAMILIES } from '../../src/domain/samples/analysis-report.ts';
import { findGenerators, GENERATORS } from './generators.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MIN_FIXTURES = 3;

const tags = extractors.flatMap(({ pages }) => Object.keys(pages).map(tagName));

function ruleFamilies(): readonly string[] {
  return globSync('rules/*.yar', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(`${ROOT}${file}`, 'utf8');
    return [...text.matchAll(/^\s*family = "(.+)"$/gm)].map(([, family = '']) => family);
  });
}

describe('every family', () => {
  for (const { family, pages, category, tags: own = {}, namesFamily } of extractors) {
    it(`of the extractor ${family} has its documentation`, () => {
      assert.ok(Object.hasOwn(pages, family));
      for (const page of Object.values(pages)) {
        for (const text of [page.name, page.reads, page.versions, page.proof, page.notCovered])
          assert.match(text, /^\S.+\S$/);
        assert.ok(page.references.length > 0);
        assert.ok(page.references.every((url) => URL.canParse(url) && url.startsWith('https://')));
      }
    });

    it(`of the extractor ${family} has a category, and tags of heat 8 at most`, () => {
      assert.equal(UNKNOWN_FAMILIES.has(tagName(family)), namesFamily === false);
      if (namesFamily !== false) assert.match(category ?? '', /^[A-Z_]+$/);
      for (const [name, [heat, meaning]] of Object.entries(own)) {
        assert.equal(tagName(name), name);
        assert.ok(heat >= 1 && heat <= 8 && meaning !== '', name);
      }
    });
  }

  it('has the same name in rules and extractors', () => {
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

  it('has a name that no format uses as a tag', () => {
    const formatTags = new Set(formats.flatMap((format) => Object.keys(format.tags)));
    assert.deepEqual(
      tags.filter((tag) => formatTags.has(tag) && !UNKNOWN_FAMILIES.has(tag)),
      [],
    );
  });
});

const FIXTURES = `${GENERATORS}../families/`;
const ENDING = '.report.json';
const DAMAGED = /-(?:damaged|cut)\./;
const HARMLESS = /-(?:harmless|lookalike)\./;
const generators = findGenerators()
  .filter((file) => file.startsWith('families/'))
  .map((file) => basename(file, '.ts'));
const fixtureNames = globSync(`*${ENDING}`, { cwd: FIXTURES })
  .map((file) => file.slice(0, -ENDING.length))
  .sort();

const plainName = (name: string) => name.replace(/[^a-z0-9]/g, '');

/** The fixtures of one family, even from the generator of another: `asyncrat-dcrat.exe`. */
function fixturesOf(family: string): readonly string[] {
  const others = extractors
    .flatMap(({ pages }) => Object.keys(pages))
    .filter((one) => one !== family);
  return fixtureNames.filter((fixture) => {
    const generator = generators.find((name) => fixture.startsWith(`${name}-`)) ?? '';
    const rest = plainName(fixture.slice(generator.length));
    if (rest.startsWith(family)) return true;
    const isOfOther = others.some((other) => rest.startsWith(other));
    return !isOfOther && plainName(family).startsWith(plainName(generator));
  });
}

describe('the fixtures', () => {
  for (const family of extractors.flatMap(({ pages }) => Object.keys(pages))) {
    it(`of ${family} include a plain one, a variant and a damaged one`, () => {
      const fixtures = fixturesOf(family);
      assert.ok(fixtures.length >= MIN_FIXTURES, fixtures.join(', '));
      assert.ok(fixtures.some((one) => DAMAGED.test(one)));
    });
  }

  for (const fixture of fixtureNames.filter((one) => DAMAGED.test(one) || HARMLESS.test(one))) {
    it(`${fixture} gives no settings, no address, and no family except by a rule`, () => {
      const report = JSON.parse(readFileSync(`${FIXTURES}${fixture}${ENDING}`, 'utf8'));
      assert.deepEqual(report.configs, {});
      assert.equal(report.c2s, undefined);
      const hottest = HARMLESS.test(fixture) ? 8 : 9;
      const heats: number[] = report.tags.map(Number.parseFloat);
      assert.ok(Math.max(...heats) <= hottest, report.tags.join(', '));
      const sources: string[] = report.evidence.map((line: string) => line.split(' | ')[1]);
      assert.ok(!sources.some((source) => source.startsWith('extractor:')), sources.join(', '));
    });
  }
});

describe('the generator of fixtures', () => {
  it('exists for every family', () => {
    const names = generators.map((name) => name.replaceAll('-', ''));
    const without = extractors
      .map(({ family }) => family.replace(/[^a-z0-9]/g, ''))
      .filter((family) => !names.some((name) => family.startsWith(name)));
    assert.deepEqual(without, []);
  });
});
