import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { readWait } from './prefer.ts';

describe('the wait preference of a request', () => {
  for (const [header, seconds] of [
    ['wait=0', 0],
    ['wait=10', 10],
    ['wait=30', 30],
    ['wait=31', 30],
    ['wait=999999999', 30],
    ['WAIT=5', 5],
    ['wait = 5', 5],
    ['wait="5"', 5],
    ['respond-async, wait=5', 5],
    ['respond-async,wait=5;foo=bar', 5],
    ['wait=5; foo="some value"', 5],
    ['wait=5, wait=7', 5],
    [['respond-async', 'wait=5'], 5],
  ] as const) {
    it(`is ${seconds} seconds in ${JSON.stringify(header)}`, () => {
      assert.equal(readWait(typeof header === 'string' ? header : [...header]), seconds);
    });
  }

  for (const header of [
    undefined,
    '',
    'wait',
    'wait=',
    'wait=-1',
    'wait=1.5',
    'wait=soon',
    'wait=5s',
    'wait=0x5',
    'wait=9999999999',
    'await=5',
    'foo="wait=5"',
    'foo; wait=5',
    '=5',
    ', ;',
  ]) {
    it(`is not read from ${JSON.stringify(header)}`, () => {
      assert.equal(readWait(header), undefined);
    });
  }

  it('is parsed in linear time', () => {
    const spent = startStopwatch();
    for (const piece of [' ', '=', ';', 'a', 'wait ', 'wait= '])
      readWait(piece.repeat(16_000 / piece.length));
    assert.ok(spent() < 2500);
  });
});
