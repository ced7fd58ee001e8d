import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brief, excerpt, visible } from './visible.ts';

describe('texts of others', () => {
  it('show what would hide or reorder them', () => {
    assert.equal(visible('invoice\u202efdp.exe'), 'invoice⟨U+202E⟩fdp.exe');
    assert.equal(visible('a\u200bb\0c\u2028d'), 'a⟨U+200B⟩b⟨U+0000⟩c⟨U+2028⟩d');
    assert.equal(visible('\u{e0041}'), '⟨U+E0041⟩');
  });

  it('stay as they are otherwise, markup too', () =>
    assert.equal(visible('<b>Привет שלום 😀</b>'), '<b>Привет שלום 😀</b>'));

  it('are cut between characters', () => {
    assert.deepEqual(excerpt('ab😀', 3), { text: 'ab', isCut: true });
    assert.deepEqual(excerpt('ab😀', 4), { text: 'ab😀', isCut: false });
    assert.equal(brief('x'.repeat(65_536)), `${'x'.repeat(200)}…`);
  });
});
