import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LookedUpFile, NO_DETAILS } from './file.ts';
import { IMPORTED, verdictOf } from './verdict.ts';

function file(
  tags: readonly { readonly name: string; readonly heat: number }[],
  configs: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
  isImported = false,
): LookedUpFile {
  return { report: { tags, configs }, details: NO_DETAILS, isImported } as unknown as LookedUpFile;
}

const HOT = [{ name: 'asyncrat', heat: 10 }];

test('is certain of a family whose settings were read', () => {
  const { level, text } = verdictOf(file(HOT, { asyncrat: { Hosts: 'x' } }));
  assert.equal(level, 'certain');
  assert.match(text, /1 setting\.$/);
});

test('is not certain by settings of no family', () => {
  const cool = [{ name: 'webhook', heat: 5 }];
  assert.equal(verdictOf(file(cool, { webhook: { url: 'x' } })).level, 'suspicious');
});

test('follows the hottest tag, and says nothing where nothing was found', () => {
  assert.equal(verdictOf(file([{ name: 'packed', heat: 3 }, ...HOT])).level, 'likely');
  assert.equal(verdictOf(file([{ name: 'packed', heat: 3 }])).level, 'nothing');
  assert.equal(verdictOf(file([])).level, 'nothing');
});

test('says of an imported report that it has no evidence', () => {
  assert.ok(verdictOf(file(HOT, { asyncrat: {} }, true)).text.endsWith(IMPORTED));
  assert.equal(verdictOf(file([], {}, true)).text, IMPORTED);
});
