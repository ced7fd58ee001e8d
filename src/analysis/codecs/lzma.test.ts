import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixture } from '../../../test/analysis/fixture.ts';
import { LzmaDecoder, unpackLzma } from './lzma.ts';

/** A `.lzma` file: u8 properties, u32 dictionary, u64 size (here unknown), then what is packed, with an end mark. */
const file = fixture('analysis/archive/note.txt.lzma');
const packed = file.subarray(13);
const usual = { lc: 3, lp: 0, pb: 2 };
const NOTE_BYTES = 1080;
const never = () => false;

describe('LZMA', () => {
  it('gives back what was packed', () => {
    assert.equal(file[0], 0x5d, 'properties 3, 0 and 2');
    const note = unpackLzma(packed, usual, { size: NOTE_BYTES, isOver: never });
    assert.ok(note?.every((byte) => byte < 0x80));
    assert.equal(note?.length, NOTE_BYTES);
  });

  it('gives nothing where there is less than was told, or it is cut', () => {
    assert.equal(unpackLzma(packed, usual, { size: NOTE_BYTES + 1, isOver: never }), undefined);
    const cut = packed.subarray(0, packed.length >> 1);
    assert.equal(unpackLzma(cut, usual, { size: NOTE_BYTES, isOver: never }), undefined);
  });

  it('refuses properties that cannot be', () => {
    for (const properties of [
      { ...usual, lc: 9 },
      { ...usual, lp: 5 },
      { ...usual, pb: 5 },
    ]) {
      const size = NOTE_BYTES;
      assert.equal(unpackLzma(packed, properties, { size, isOver: never }), undefined);
    }
  });

  it('stops when time is over', () => {
    const size = 1_000_000;
    // All zeros decode to some byte or other, for as long as there is input.
    const endless = Buffer.alloc(size);
    let looks = 0;
    const decoder = new LzmaDecoder(Buffer.alloc(size), () => {
      looks += 1;
      return looks === 2;
    });
    decoder.reset(usual);
    assert.equal(decoder.decode(endless, size), false);
    assert.equal(looks, 2);
    assert.ok(decoder.length < size);
  });
});
