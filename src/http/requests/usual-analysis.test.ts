import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { wireAnalysis } from '../../../test/builders.ts';
import { checkAnalysis } from './analysis-lines.ts';
import { isSerializable, readUsualAnalysis } from './usual-analysis.ts';

const MEMBERS = Object.keys(wireAnalysis('a file'));

const names = fc.oneof(
  fc.constantFrom('', ' ', 'LANTERN', '__proto__', 'constructor', '7', 'a\u200bb', '💀'.repeat(64)),
  fc.string({ maxLength: 70, unit: 'grapheme' }),
);

const dates = fc.oneof(
  fc.constantFrom('0000-01-01T00:00:00Z', '2026-08-26T24:00:00Z', '2026-08-26T23:59:60Z'),
  fc
    .tuple(...[9999, 13, 32, 25, 61, 61].map((max) => fc.nat(max)))
    .map(([year, month, day, hour, minute, second]) => {
      const two = (value = 0) => String(value).padStart(2, '0');
      const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
      return `${date}T${two(hour)}:${two(minute)}:${two(second)}Z`;
    }),
);

const tags = fc.array(
  fc.record(
    { heat: fc.oneof(fc.integer({ min: -1, max: 12 }), fc.double()), name: names, rule: fc.nat() },
    { requiredKeys: ['heat', 'name'] },
  ),
  { maxLength: 66, size: 'max' },
);

const digits = fc.oneof(
  ...[31, 32, 40, 64, 128].map((length) =>
    fc.string({
      unit: fc.constantFrom(...'0123456789abcdefABCDEFg'),
      minLength: length,
      maxLength: length,
    }),
  ),
);

const rarely = (value: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, value);

/** Values for any member, some of which fit. */
const values: fc.Arbitrary<unknown> = fc.oneof(
  dates,
  tags,
  digits,
  names,
  fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue()))),
  fc.constantFrom(-0, 0, -1, 1.5, 2 ** 53, null, [], {}, 'x'.repeat(64), 'x'.repeat(65)),
  fc.jsonValue(),
);

/** A valid line in which some members are replaced, removed or added. */
const lines = fc
  .record({
    replaced: fc.oneof(
      fc.record({ date: dates }),
      fc.record({ tags }),
      fc.record({ configs: fc.dictionary(names, fc.dictionary(names, fc.jsonValue())) }),
      fc.record({ fileName: names, ssDeep: names, staticAnalysisDuration: names }),
      fc.dictionary(fc.constantFrom(...MEMBERS), values, { maxKeys: 2 }),
    ),
    removed: rarely(fc.constantFrom(...MEMBERS)),
    added: rarely(names),
  })
  .map(({ replaced, removed, added }) => {
    const members = Object.entries({ ...wireAnalysis('a file'), ...replaced })
      .filter(([name]) => name !== removed)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    if (added !== undefined) members.push(`${JSON.stringify(added)}:1`);
    // As text, because a literal cannot have a member `__proto__`.
    return JSON.parse(`{${members.join()}}`) as unknown;
  });

describe('the usual form of an analysis', () => {
  it('is read as the schema reads it', () => {
    const checked = checkAnalysis(wireAnalysis('a file'));
    assert.ok('report' in checked);
    assert.deepStrictEqual(readUsualAnalysis(wireAnalysis('a file')), checked.report);
  });

  it('never has a value that the schema refuses or reads in another way', () => {
    let recognised = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: lines }, fc.jsonValue()), (line) => {
        const usual = readUsualAnalysis(line);
        if (usual === undefined) return;
        recognised += 1;
        const checked = checkAnalysis(line);
        assert.ok('report' in checked);
        assert.deepStrictEqual(usual, checked.report);
      }),
      { numRuns: 2000 },
    );
    assert.ok(recognised > 100);
  });

  it('may have settings thirty-two levels deep', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    assert.equal(isSerializable(nested(33)), true);
    assert.equal(isSerializable(nested(34)), false);
  });
});
