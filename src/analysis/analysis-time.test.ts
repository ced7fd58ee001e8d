import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnalysisTime } from './analysis-time.ts';
import { LIMITS } from './limits.ts';

/** Clocks that are set by hand, and the number of readings of the processor time. */
class SetClocks {
  processor = 5000;
  elapsed = 900;
  readings = 0;
  readonly processorMs = () => {
    this.readings += 1;
    return this.processor;
  };
  readonly elapsedMs = () => this.elapsed;

  pass(elapsedMs: number, processorMs: number): void {
    this.elapsed += elapsedMs;
    this.processor += processorMs;
  }
}

describe('the time of an analysis', () => {
  it('is processor time: a process that waits for minutes has all of it', () => {
    const clocks = new SetClocks();
    const time = new AnalysisTime(clocks);
    clocks.pass(200_000, LIMITS.softProcessorMs - 1);
    assert.equal(time.isOver(), false);
    clocks.pass(2, 2);
    assert.equal(time.isOver(), true);
  });

  it('is over at the same processor time, however many threads use it', () => {
    for (const threads of [0.05, 1, 8]) {
      const clocks = new SetClocks();
      const time = new AnalysisTime(clocks);
      let usedMs = 0;
      for (; !time.isOver(); usedMs += 5) clocks.pass(5 / threads, 5);
      assert.ok(Math.abs(usedMs - LIMITS.softProcessorMs) <= 10, `${threads}: ${usedMs}`);
    }
  });

  it('ends at the latest after minutes', () => {
    const clocks = new SetClocks();
    const time = new AnalysisTime(clocks);
    clocks.pass(LIMITS.softElapsedMs - 1, 10);
    assert.equal(time.isOver(), false);
    clocks.pass(2, 0);
    assert.equal(time.isOver(), true);
  });

  it('is seldom read, although it is asked for in inner loops', () => {
    const clocks = new SetClocks();
    const time = new AnalysisTime(clocks);
    for (let round = 0; round < 1_000_000; round += 1) {
      clocks.pass(0.01, 0.01);
      assert.equal(time.isOver(), false);
    }
    assert.ok(clocks.readings < 30, `${clocks.readings}`);
  });
});
