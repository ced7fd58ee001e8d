import { globSync } from 'node:fs';

const [LIBRARY] = globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1');

/** The reason to skip tests that need another clock, or `false`. */
export const whyNoFakeTime = LIBRARY === undefined && 'libfaketime is not installed';

const PRELOADED = { LD_PRELOAD: LIBRARY ?? '', FAKETIME_DONT_FAKE_MONOTONIC: '1' };

/**
 * Environment variables that shift the clock of a program, for example by `+366d`. Its monotonic
 * clock, which measures durations, is not changed.
 */
export function withClock(offset: string): Readonly<Record<string, string>> {
  return { ...PRELOADED, FAKETIME: offset };
}

/** Environment variables for a program whose clock the offset in the file shifts as it runs. */
export function withClockFile(file: string): Readonly<Record<string, string>> {
  return { ...PRELOADED, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' };
}
