import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fuzzSettings } from '../../test/analysis/fuzz.ts';
import { StringRuns, textOfRun } from './strings.ts';

function runsOf(bytes: Buffer): [offset: number, text: string, wide: boolean][] {
  const found: [number, string, boolean][] = [];
  const runs = new StringRuns(bytes);
  while (runs.next()) found.push([runs.start, textOfRun(bytes, runs), runs.wide]);
  return found;
}

/** A naive implementation to compare with, for narrow runs only. */
function plainly(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[\t\x20-\x7e]{5,}/g) ?? [];
}

const wide = (text: string) => Buffer.from(text, 'utf16le');

describe('the runs of text in bytes', () => {
  it('have at least five characters', () => {
    assert.deepEqual(runsOf(Buffer.from('\x01four\x02fives\x03sixsix')), [
      [6, 'fives', false],
      [12, 'sixsix', false],
    ]);
  });

  it('reach from the first byte to the last', () => {
    assert.deepEqual(runsOf(Buffer.from('whole')), [[0, 'whole', false]]);
    assert.deepEqual(runsOf(wide('whole')), [[0, 'whole', true]]);
  });

  it('contain tabs, and end at a line break', () => {
    const found = runsOf(Buffer.from('one\ttwo\nthree'));
    assert.deepEqual(
      found.map(([, text]) => text),
      ['one\ttwo', 'three'],
    );
  });

  it('are found in UTF-16LE at even and at odd offsets', () => {
    for (const before of ['', '\x01', '\x01\x02', '\0\0\0', 'abc']) {
      const bytes = Buffer.concat([Buffer.from(before), wide('wide text'), Buffer.from([1, 2])]);
      assert.deepEqual(runsOf(bytes), [[before.length, 'wide text', true]], JSON.stringify(before));
    }
  });

  it('are separate where wide text follows narrow text that ends in a zero', () => {
    const bytes = Buffer.concat([Buffer.from('narrow\0'), wide('wider'), Buffer.from('\0\0again')]);
    assert.deepEqual(
      runsOf(bytes).map(([, text, isWide]) => [text, isWide]),
      [
        ['narrow', false],
        ['wider', true],
        ['again', false],
      ],
    );
  });

  it('do not exist in zeros, in empty input and in four wide letters', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(99), wide('four'), Buffer.from('abcd')]) {
      assert.deepEqual(runsOf(bytes), []);
    }
  });

  it('equal those of the naive implementation, for bytes without zeros', () => {
    const byte = fc.oneof(fc.integer({ min: 0x61, max: 0x7a }), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 200 }), (values) => {
        const bytes = Buffer.from(values);
        assert.deepEqual(
          runsOf(bytes).map(([, text]) => text),
          plainly(bytes),
        );
      }),
      fuzzSettings(),
    );
  });

  it('neither overlap nor exceed the input, for any bytes', () => {
    const byte = fc.constantFrom(0, 0, 0x41, 0x42, 0x20, 0x01, 0xff);
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 120 }), (values) => {
        let end = 0;
        const runs = new StringRuns(Buffer.from(values));
        while (runs.next()) {
          assert.ok(runs.start >= end && runs.end <= values.length);
          assert.ok(runs.end - runs.start >= (runs.wide ? 10 : 5));
          end = runs.end;
        }
      }),
      fuzzSettings(),
    );
  });
});
