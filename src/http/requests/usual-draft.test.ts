import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createBody } from '../../../test/builders.ts';
import { checkDraft } from './report-lines.ts';
import { readUsualDraft } from './usual-draft.ts';

const texts = fc.oneof(
  fc.constantFrom('', ' ', 'rat', 'a\u200bb', '💀'.repeat(64), '💀'.repeat(65), 'x'.repeat(65)),
  fc.constantFrom('evil.example:80', 'Evil[.]example:80', '[::1]:65535', '1.2.3.4:0', 'a:1:2'),
  fc.constantFrom('https://a.example/x', 'http://u@a.example/', 'https:///a', 'HTTP://A.example'),
  fc.constantFrom('AB'.repeat(32), 'ab'.repeat(31), 'g'.repeat(64)),
  fc.string({ maxLength: 70, unit: 'grapheme' }),
);

const rarely = (value: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, value);

/** Values for any member, some of which fit. */
const values: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  fc.array(texts, { maxLength: 34, size: 'max' }),
  fc.constantFrom(-0, 0, -1, 10, 11, 1.5, 2 ** 53, null, [], {}),
  fc.jsonValue(),
);

const names = fc.oneof(
  fc.constantFrom('c2Address', 'file256Hash', 'tags', 'referenceLink', 'confidenceScore'),
  fc.constantFrom('id', 'name', 'reportedAt', 'reportedBy', 'firstSeenID'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'host', ''),
);

/** A valid body in which some members are replaced, removed or added. */
const bodies = fc
  .record({
    changed: fc.array(fc.tuple(names, values), { maxLength: 2 }),
    removed: rarely(names),
  })
  .map(({ changed, removed }) => {
    const members = [...Object.entries(createBody({ confidenceScore: 10 })), ...changed]
      .filter(([name]) => name !== removed)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    // As text, because a literal cannot have a member `__proto__`.
    return JSON.parse(`{${members.join()}}`) as unknown;
  });

describe('the usual form of a create', () => {
  it('is read as the schema reads it', () => {
    for (const body of [createBody(), { ...createBody(), id: 1, name: null, firstSeenID: [] }])
      assert.deepStrictEqual(readUsualDraft(body, 100), checkDraft(body, 100));
  });

  it('never has a value that the schema refuses or reads in another way', () => {
    let recognised = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: bodies }, fc.jsonValue()), (body) => {
        const usual = readUsualDraft(body, 10);
        if (usual === undefined) return;
        recognised += 1;
        assert.deepStrictEqual(usual, checkDraft(body, 10));
      }),
      { numRuns: 3000 },
    );
    assert.ok(recognised > 100);
  });
});
