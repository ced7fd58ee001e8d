import { findChromium } from '../../../scripts/browser/chromium.ts';

/** The reason to skip tests that need a browser, or `false`. */
export const whyNoBrowser = findChromium() === undefined && 'no chromium is on the path';

/** Generous, for slow machines. */
export const WAIT_MS = 30_000;
