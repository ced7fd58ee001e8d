import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixture } from '../../../test/analysis/fixture.ts';
import { LzmaDecoder, unpackLzma } from './lzma.ts';

/**
 * A `.lzma` file: u8 properties, u32 dictionary, u64 size (here unknown), then packed data with an
 * end mark.
 */
const file = fixture('analysis/archive/note.txt.lzma');
const packed = file.subarray(13);
const usual = { lc: 3, lp: 0, pb: 2 };
const NOTE_BYTES = 1080;
const never = () => false;

describe('LZMA', () => {
  it('restores the packed input', () => {
    assert.equal(file[0], 0x5d, 'properties 3, 0 and 2');
    const note = unpackLzma(packed, usual, { size: NOTE_BYTES, isOver: never });
    assert.ok(note?.every((byte) => byte < 0x80));
    assert.equal(note?.length, NOTE_BYTES);
  });

  it('returns nothing if the output is shorter than stated, or the input is truncated', () => {
    assert.equal(unpackLzma(packed, usual, { size: NOTE_BYTES + 1, isOver: never }), undefined);
    const cut = packed.subarray(0, packed.length >> 1);
    assert.equal(unpackLzma(cut, usual, { size: NOTE_BYTES, isOver: never }), undefined);
  });

  it('refuses invalid properties', () => {
    for (const properties of [
      { ...usual, lc: 9 },
      { ...usual, lp: 5 },
      { ...usual, pb: 5 },
    ]) {
      const size = NOTE_BYTES;
      assert.equal(unpackLzma(packed, properties, { size, isOver: never }), undefined);
    }
  });

  it('stops when the time is over', () => {
    const size = 1_000_000;
    // Zeros decode to some byte for as long as there is input.
    const endless = Buffer.alloc(size);
    let timeChecks = 0;
    const decoder = new LzmaDecoder(Buffer.alloc(size), () => {
      timeChecks += 1;
      return timeChecks === 2;
    });
    decoder.reset(usual);
    assert.equal(decoder.decode(endless, size), false);
    assert.equal(timeChecks, 2);
    assert.ok(decoder.length < size);
  });
});
