import { globSync } from 'node:fs';

const [LIBRARY] = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1');

/** The reason to skip tests that need another clock, or `false`. */
export const whyNoFakeTime = LIBRARY === undefined && 'libfaketime is not installed';

/**
 * Environment variables that shift the clock of a program, for example by `+366d`. Its monotonic
 * clock, which measures durations, is not changed.
 */
export function withClock(offset: string): Readonly<Record<string, string>> {
  return { LD_PRELOAD: LIBRARY ?? '', FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
