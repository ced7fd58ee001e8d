import { globSync } from 'node:fs';

const [LIBRARY] = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1');

/** Why no program can be given another clock here. */
export const whyNoFakeTime = LIBRARY === undefined && 'libfaketime is not installed';

/**
 * Settings by which a program has another clock, such as `+366d`. What it measures durations with
 * stays right.
 */
export function withClock(offset: string): Readonly<Record<string, string>> {
  return { LD_PRELOAD: LIBRARY ?? '', FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
