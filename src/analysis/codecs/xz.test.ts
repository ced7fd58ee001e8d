import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { unpackXz } from './xz.ts';

/** The output of Python's `lzma.compress`: the numbers from 0 to 299, each with a word. */
const WORDS = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4A2fAPVdADcdSd2T6qTRruaMVE39zSHumVNwgVW1lrHu9u26iDUoCNRhwgYnRDnIpwUHmrTJZ5g/7+lx5CqVlmtfP6OS9DCC3wQP/vMmH2+ZYDoVJ8aapLQ5mzAd0DwvjRxbhGvYvClOSdH8NKt3hKZ88VRTxXdJQAlqu5BmJt5OlIw2P+siB2xVibTiGHpsLLrE5+Sgafov6la0heCtqfIULUFUK0HUBoyybmqyTRvIwUlBwXfA8Zz5uxe4g1M9Bf3fSIEbkhHXifmfSfvEcCnRl5rYGgf47ku63K0n5c/m7+nrNFZSvo2oJT6tylYoWuBWdHr5X3eudtTjAAAAAGUIJEhLnsq4AAGRAqAbAADPF7cyscRn+wIAAAAABFla',
  'base64',
);
const limits = { maxBytes: 1_000_000, isOver: () => false };
const words = Array.from({ length: 300 }, (_, number) => `number ${number}`).join(', ');

describe('xz', () => {
  it('restores the packed input', () => {
    assert.equal(unpackXz(WORDS, limits)?.toString(), words);
    assert.equal(unpackXz(fixture('analysis/archive/note.txt.xz'), limits)?.length, 1080);
  });

  it('restores chunks that are stored uncompressed', () => {
    const noise = Buffer.from(
      Array.from({ length: 200 }, (_, index) => (index * index * 7) & 0xff),
    );
    const header = WORDS.subarray(0, 12 + blockHeaderBytes());
    const piece = Buffer.concat([Buffer.from([1, 0, noise.length - 1]), noise, Buffer.alloc(1)]);
    assert.deepEqual(unpackXz(Buffer.concat([header, piece]), limits), noise);
  });

  it('returns nothing for truncated, damaged or oversized input', () => {
    assert.equal(unpackXz(WORDS.subarray(0, WORDS.length >> 1), limits), undefined);
    const damaged = Buffer.from(WORDS).fill(0xff, 24, 28);
    assert.equal(unpackXz(damaged, limits), undefined);
    assert.equal(unpackXz(WORDS, { ...limits, maxBytes: words.length - 1 }), undefined);
    assert.equal(unpackXz(Buffer.alloc(0), limits), undefined);
  });

  it('stops between chunks when the time is over, however small they are', () => {
    const header = WORDS.subarray(0, 12 + blockHeaderBytes());
    const pieces = Buffer.from('01000078'.repeat(100_000), 'hex');
    const small = Buffer.concat([header, pieces, Buffer.alloc(1)]);
    assert.equal(unpackXz(small, limits)?.length, 100_000);
    let timeChecks = 0;
    const isOver = () => ++timeChecks > 3;
    assert.equal(unpackXz(small, { ...limits, isOver }), undefined);
    assert.equal(timeChecks, 4);
  });

  it('refuses properties that LZMA2 does not allow, which would make every chunk expensive', () => {
    const at = 12 + blockHeaderBytes() + 5;
    assert.equal(WORDS[at], 0x5d, 'properties 3, 0 and 2');
    const large = Buffer.from(WORDS).fill(2 + 9 * 3 + 45 * 2, at, at + 1);
    assert.equal(unpackXz(large, limits), undefined);
  });

  it('returns for any damage', () => {
    fc.assert(
      fc.property(hostileVariants(WORDS), (bytes) => {
        unpackXz(bytes, limits);
      }),
      fuzzSettings(),
    );
  });
});

function blockHeaderBytes(): number {
  return ((WORDS[12] ?? 0) + 1) * 4;
}
