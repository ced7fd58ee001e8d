import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProgressBar } from './progress-bar.ts';

/** A bar with a fake stream and a fake clock. */
function setUp(isTTY: boolean, totalBytes: number | undefined) {
  const written: string[] = [];
  let now = 0;
  const out = { isTTY, write: (text: string) => written.push(text) > 0 };
  return {
    written,
    bar: new ProgressBar(out, totalBytes, { now: () => now }),
    wait: (ms: number) => {
      now += ms;
    },
  };
}

describe('ProgressBar', () => {
  it('draws a bar over itself on a terminal', () => {
    const { bar, written, wait } = setUp(true, 1000);
    wait(500);
    bar.show(500, 50);
    bar.clear();
    assert.deepEqual(written, [
      `\r\x1b[K[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %  50 lines, 100 a second`,
      '\r\x1b[K',
    ]);
  });

  it('writes a line every five seconds if the output is not a terminal', () => {
    const { bar, written, wait } = setUp(false, 1000);
    for (let round = 0; round < 100; round += 1) {
      wait(110);
      bar.show(round * 10, round);
    }
    bar.clear();
    assert.equal(written.length, 2);
    assert.match(written[0] ?? '', /^45 % {2}45 lines, 9 a second\n$/);
  });

  it('shows no percentage if the total is unknown', () => {
    const { bar, written, wait } = setUp(true, undefined);
    wait(1000);
    bar.show(10, 7);
    assert.deepEqual(written, ['\r\x1b[K7 lines, 7 a second']);
  });
});
