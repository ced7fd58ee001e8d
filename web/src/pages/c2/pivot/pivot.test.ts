import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RelatedToAddress } from '../../../../../src/client/wire.ts';
import { moveFrom, neighboursOf, pivotOf } from './pivot.ts';
import { siblingsOf } from './related-lists.ts';

const HASHES = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

function file(
  sha256Hash: string,
  c2s: Readonly<Record<string, string | null>>,
  hasMoreC2s = false,
) {
  return {
    sha256Hash,
    fileName: 'evil.exe',
    c2s: Object.entries(c2s).map(([c2, family]) => ({ c2, family })),
    hasMoreC2s,
  };
}

function related(members: Partial<RelatedToAddress>): RelatedToAddress {
  return {
    host: 'evil.example',
    files: { newest: [], hasMore: false },
    sameHost: { c2s: [], hasMore: false },
    below: { hosts: [], hasMore: false },
    successful: true,
    ...members,
  };
}

const OF_C2 = related({
  c2: 'evil.example:1',
  files: {
    newest: [
      file(HASHES[0], { 'evil.example:1': 'LANTERN', 'other.example:9': 'LANTERN' }),
      file(HASHES[1], {
        'evil.example:1': null,
        'other.example:9': null,
        '[2001:db8::1]:5': null,
      }),
    ],
    hasMore: false,
  },
  sameHost: { c2s: ['evil.example:2'], hasMore: false },
});

const ids = (nodes: readonly { readonly id: string }[] | undefined) => nodes?.map(({ id }) => id);

describe('the C2s of the same settings', () => {
  it('are those of the most files first, without the address itself', () => {
    assert.deepEqual(siblingsOf(OF_C2), {
      c2s: [
        { c2: 'other.example:9', families: ['LANTERN'], files: 2 },
        { c2: '[2001:db8::1]:5', families: [], files: 1 },
      ],
      hasMore: false,
    });
    const ofHost = related({
      host: '2001:db8::1',
      files: {
        newest: [file(HASHES[0], { '[2001:db8::1]:5': null, 'a.example:1': null }, true)],
        hasMore: false,
      },
    });
    assert.deepEqual(
      siblingsOf(ofHost).c2s.map(({ c2 }) => c2),
      ['a.example:1'],
    );
    assert.equal(siblingsOf(ofHost).hasMore, true);
  });
});

describe('the graph', () => {
  it('has what is two steps from a C2', () => {
    const { columns, links, isCut } = pivotOf(OF_C2);
    assert.equal(isCut, false);
    assert.deepEqual(columns.map(ids), [
      ['c2 evil.example:1'],
      ['host evil.example', 'family LANTERN', `file ${HASHES[0]}`, `file ${HASHES[1]}`],
      ['c2 evil.example:2', 'c2 other.example:9', 'c2 [2001:db8::1]:5'],
    ]);
    assert.equal(links.length, 4 + 1 + 3);
  });

  it('has what is two steps from a host', () => {
    const { c2: _, ...ofHost } = {
      ...OF_C2,
      sameHost: { c2s: ['evil.example:1'], hasMore: false },
    };
    const { columns, isCut } = pivotOf(ofHost);
    assert.equal(isCut, false);
    assert.deepEqual(columns.map(ids), [
      ['host evil.example'],
      ['c2 evil.example:1'],
      ['family LANTERN', `file ${HASHES[0]}`, `file ${HASHES[1]}`],
    ]);
  });

  it('is bounded, says so, and has no node without a link', () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      file(String(index).padStart(64, '0'), {
        'evil.example:1': 'LANTERN',
        ...Object.fromEntries(
          Array.from({ length: 19 }, (__, other) => [`c${index}-${other}.example:1`, 'LANTERN']),
        ),
      }),
    );
    const pivot = pivotOf(
      related({ c2: 'evil.example:1', files: { newest: many, hasMore: false } }),
    );
    assert.equal(pivot.isCut, true);
    for (const column of pivot.columns) assert.ok(column.length <= 14);
    for (const { id } of pivot.columns.flat()) assert.ok(neighboursOf(pivot, id).length > 0, id);
    assert.equal(pivotOf({ ...OF_C2, sameHost: { c2s: [], hasMore: true } }).isCut, true);
  });

  it('is the address and its host if nothing belongs to it', () => {
    const { columns, isCut } = pivotOf(related({ c2: 'evil.example:1' }));
    assert.deepEqual(columns.map(ids), [['c2 evil.example:1'], ['host evil.example'], []]);
    assert.equal(isCut, false);
    assert.deepEqual(pivotOf(related({})).columns.map(ids), [['host evil.example'], [], []]);
  });

  it('is walked by arrow keys, and stays at its edges', () => {
    const pivot = pivotOf(OF_C2);
    const walk = (id: string, ...directions: readonly Parameters<typeof moveFrom>[2][]) =>
      directions.reduce((from, direction) => moveFrom(pivot, from, direction), id);
    const start = 'c2 evil.example:1';
    assert.equal(walk(start, 'left'), start);
    assert.equal(walk(start, 'up'), start);
    assert.equal(walk(start, 'right'), 'host evil.example');
    assert.equal(walk(start, 'right', 'right'), 'c2 evil.example:2');
    assert.equal(walk(start, 'right', 'down', 'down', 'right'), 'c2 other.example:9');
    assert.equal(walk(start, 'right', 'down', 'down', 'right', 'left', 'left'), start);
  });
});
