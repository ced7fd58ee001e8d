import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldName, joinSpellings, upperName } from './spellings.ts';

const join = (counts: readonly { readonly name: string; readonly reports: number }[]) =>
  joinSpellings(
    counts,
    ({ reports }) => reports,
    (one, other) => ({ ...one, reports: one.reports + other.reports }),
  );

describe('spellings of a name', () => {
  it('differ in the case of ASCII letters only', () => {
    assert.equal(foldName('Blank_GRABBER-2'), 'blank_grabber-2');
    assert.equal(foldName('ÄÖ İ'), 'ÄÖ İ');
    assert.equal(upperName('blank_grabber é'), 'BLANK_GRABBER é');
  });

  it('are counted together, under the one that counts most', () =>
    assert.deepEqual(
      join([
        { name: 'xworm', reports: 2 },
        { name: 'remcos', reports: 4 },
        { name: 'XWORM', reports: 3 },
        { name: 'XWorm', reports: 1 },
      ]),
      [
        { name: 'XWORM', reports: 6 },
        { name: 'remcos', reports: 4 },
      ],
    ));

  it('of equal counts have the name that is first in order', () =>
    assert.deepEqual(
      join([
        { name: 'xworm', reports: 1 },
        { name: 'XWORM', reports: 1 },
      ]),
      [{ name: 'XWORM', reports: 2 }],
    ));
});
