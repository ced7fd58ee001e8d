import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { familyOf, familyOfC2 } from './analysis-report.ts';

const heatTag = fc.record({ heat: fc.integer({ min: 1, max: 10 }), name: fc.string() });

describe('the family of an analysed file', () => {
  it('is the first that has settings', () => {
    const configs = { ASYNCRAT: {}, REMCOS: {} };
    assert.equal(familyOf({ configs, tags: [{ heat: 10, name: 'LANTERN' }] }), 'ASYNCRAT');
  });

  it('is none if settings were found without a family', () => {
    const tags = [{ heat: 9, name: 'LANTERN' }];
    assert.equal(familyOf({ configs: { GENERIC: {} }, tags }), 'LANTERN');
    assert.equal(familyOf({ configs: { GENERIC: {}, REMCOS: {} }, tags }), 'REMCOS');
    assert.equal(familyOf({ configs: { GENERIC: {} }, tags: [] }), undefined);
  });

  it('is otherwise the tag with the highest heat', () => {
    const tags = [
      { heat: 9, name: 'PACKED' },
      { heat: 10, name: 'LANTERN' },
      { heat: 1, name: 'DOTNET' },
    ];
    assert.equal(familyOf({ configs: {}, tags }), 'LANTERN');
  });

  it('is the first of tags with equal heat', () => {
    const tags = [
      { heat: 9, name: 'LANTERN' },
      { heat: 9, name: 'BEACON' },
    ];
    assert.equal(familyOf({ configs: {}, tags }), 'LANTERN');
  });

  it('is named by no tag with a heat below 9', () => {
    const cool = fc.array(heatTag.filter(({ heat }) => heat < 9));
    always(fc.property(cool, (tags) => assert.equal(familyOf({ configs: {}, tags }), undefined)));
  });

  it('is never named by a tag if another has a higher heat', () => {
    always(
      fc.property(fc.array(heatTag), (tags) => {
        const hottest = Math.max(0, ...tags.map(({ heat }) => heat));
        const expected = hottest < 9 ? undefined : tags.find(({ heat }) => heat === hottest)?.name;
        assert.equal(familyOf({ configs: {}, tags }), expected);
      }),
    );
  });
});

describe('the family of a C2', () => {
  it('is that of the settings that name it, not that of the file', () =>
    assert.equal(familyOfC2('SYSTEMBC', 'ASYNCRAT'), 'SYSTEMBC'));

  it('is that of the file if no settings of a family name it', () => {
    assert.equal(familyOfC2(undefined, 'ASYNCRAT'), 'ASYNCRAT');
    assert.equal(familyOfC2('GENERIC', 'ASYNCRAT'), 'ASYNCRAT');
    assert.equal(familyOfC2('GENERIC', undefined), undefined);
  });
});
