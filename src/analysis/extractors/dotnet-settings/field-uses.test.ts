import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { Subject } from '../../subject.ts';
import { settingsOf } from './dotnet-settings.ts';
import { firstUsed } from './field-uses.ts';

const settings = settingsOf(new Subject(fixture('analysis/dotnet/assignments'), 'sample'));
assert.ok(settings);
const { blocks, fieldUses } = settings;
const fields = blocks.flatMap((block) => block.fields);
const named = (name: string) => {
  const found = fields.find(({ field }) => field === name);
  assert.ok(found);
  return found;
};

describe('uses of fields', () => {
  it('are loads by any code', () => {
    assert.equal(fieldUses.isLoaded(named('Loaded').fieldToken), true);
    assert.equal(fieldUses.isLoaded(named('Unused').fieldToken), false);
  });

  it('are replacements by other literals, outside of constructors', () => {
    const later = named('Later');
    assert.equal(fieldUses.isReplaced(later), true);
    assert.equal(fieldUses.isReplaced({ ...later, value: 'last' }), false);
    for (const name of ['Twice', 'Loaded', 'Unused'])
      assert.equal(fieldUses.isReplaced(named(name)), false, name);
  });

  it('select the first candidate that is used, else the first', () => {
    const of = (...names: string[]) =>
      names.map((name) => ({ name, block: { fields: [named(name)] } }));
    assert.equal(firstUsed(of('Unused', 'Loaded'), settings)?.name, 'Loaded');
    assert.equal(firstUsed(of('Unused', 'Same'), settings)?.name, 'Unused');
    assert.equal(firstUsed([], settings), undefined);
  });
});
