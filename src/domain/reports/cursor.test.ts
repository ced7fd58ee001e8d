import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  formatListCursor,
  formatPositions,
  isShortRelativeTo,
  type ListView,
  parseListCursor,
  parsePositions,
  seal,
  unseal,
} from './cursor.ts';

const secret = Buffer.alloc(32, 7);
const view: ListView = {
  scope: 'ply',
  order: 'desc',
  filter: { tags: ['rat', 'asyncrat'], host: 'evil.example', createdAfter: new Date(1000) },
};
const RUNS = { seed: 4, numRuns: 200 };

describe('a sealed text', () => {
  it('opens to any payload that was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (payload, purpose) => {
        assert.equal(unseal(secret, purpose, seal(secret, purpose, payload)), payload);
      }),
      RUNS,
    );
  });

  it('can be used in a URL and in a header', () => {
    assert.match(seal(secret, ['x'], 'ä?&='), /^[A-Za-z0-9_-]+$/);
  });

  it('does not open for another purpose, or with another secret', () => {
    const text = seal(secret, ['a', 'b'], 'payload');
    for (const purpose of [['a'], ['ab'], ['a', 'b', ''], ['b', 'a'], [], ['a', undefined]])
      assert.equal(unseal(secret, purpose, text), undefined);
    assert.equal(unseal(Buffer.alloc(32, 8), ['a', 'b'], text), undefined);
  });

  it('does not open when any bit of it was changed', () => {
    const bytes = Buffer.from(seal(secret, ['a'], 'payload'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(unseal(secret, ['a'], changed.toString('base64url')), undefined);
    }
  });

  it('does not open when characters were added that a decoder ignores', () => {
    const text = seal(secret, ['a'], 'payload');
    for (const changed of [
      `${text}=`,
      ` ${text}`,
      `${text}\n`,
      `${text}A`,
      `${text.slice(0, 4)}.${text.slice(4)}`,
    ])
      assert.equal(unseal(secret, ['a'], changed), undefined);
  });

  it('does not open when it was truncated, is empty or much too long', () => {
    const text = seal(secret, ['a'], 'payload');
    for (let length = 0; length < text.length; length += 1)
      assert.equal(unseal(secret, ['a'], text.slice(0, length)), undefined);
    assert.equal(unseal(secret, ['a'], 'A'.repeat(300_000)), undefined);
  });

  it('accepts any text without an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(unseal(secret, ['a'], text), undefined);
      }),
      RUNS,
    );
  });
});

describe('a cursor of a list', () => {
  it('contains the end of the page, for one feed and for all feeds', () => {
    for (const one of [view, { ...view, scope: undefined }])
      assert.equal(parseListCursor(secret, one, formatListCursor(secret, one, '17')), '17');
  });

  it('does not depend on the order of tags, nor on duplicates', () => {
    const turned = { ...view, filter: { ...view.filter, tags: ['asyncrat', 'rat', 'rat'] } };
    assert.equal(formatListCursor(secret, turned, '17'), formatListCursor(secret, view, '17'));
  });

  it('ignores undefined members of the filter', () => {
    const spelled = { ...view, filter: { ...view.filter, port: undefined } };
    assert.equal(formatListCursor(secret, spelled, '17'), formatListCursor(secret, view, '17'));
  });

  it('is valid for no other feed, order or filter', () => {
    const cursor = formatListCursor(secret, view, '17');
    const others: ListView[] = [
      { ...view, scope: 'other' },
      { ...view, scope: undefined },
      { ...view, order: 'asc' },
      { ...view, filter: {} },
      { ...view, filter: { ...view.filter, tags: ['rat'] } },
      { ...view, filter: { ...view.filter, host: 'other.example' } },
      { ...view, filter: { ...view.filter, port: 443 } },
      { ...view, filter: { ...view.filter, createdAfter: new Date(2000) } },
      { ...view, filter: { ...view.filter, createdBefore: new Date(2000) } },
    ];
    for (const other of others) assert.equal(parseListCursor(secret, other, cursor), undefined);
  });
});

describe('a position in every feed', () => {
  it('is read as it was written, without the feeds in which nothing was read', () => {
    const positions = new Map([
      ['ply', 1],
      ['a-b', Number.MAX_SAFE_INTEGER],
      ['empty', 0],
    ]);
    const read = parsePositions(secret, formatPositions(secret, positions));
    assert.deepEqual(
      [...(read?.positions ?? [])],
      [
        ['ply', 1],
        ['a-b', Number.MAX_SAFE_INTEGER],
      ],
    );
  });

  it('may be before the first change of all feeds', () => {
    const none = { base: undefined, positions: new Map() };
    assert.deepEqual(parsePositions(secret, '0'), none);
    assert.deepEqual(parsePositions(secret, formatPositions(secret, new Map())), none);
  });

  it('is encoded as the difference from a base', () => {
    const base = { digest: 'abc', positions: new Map(Object.entries({ ply: 1, b: 7, gone: 3 })) };
    const positions = new Map(Object.entries({ ply: 1, b: 8, fresh: 36 }));
    assert.deepEqual(parsePositions(secret, formatPositions(secret, positions, base)), {
      base: 'abc',
      positions: new Map(Object.entries({ b: 8, fresh: 36, gone: 0 })),
    });
  });

  it('is close to a base if few feeds differ, however many there are', () => {
    const feeds = Array.from({ length: 5000 }, (_, index) => [`feed-${index}`, index + 1] as const);
    const positions = new Map(feeds);
    const base = { digest: 'abc', positions: new Map(feeds) };
    positions.set('feed-17', 99);
    assert.ok(isShortRelativeTo(positions, base));
    assert.ok(formatPositions(secret, positions, base).length < 100);
    assert.ok(!isShortRelativeTo(positions, undefined));
    assert.ok(isShortRelativeTo(new Map(feeds.slice(0, 100)), undefined));
  });

  it('is not accepted as a cursor', () => {
    assert.equal(parsePositions(secret, formatListCursor(secret, view, '17')), undefined);
    assert.equal(parsePositions(secret, '17'), undefined);
  });
});
