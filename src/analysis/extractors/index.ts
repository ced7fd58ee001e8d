import type { Extractor } from './extractor.ts';

/** Every family whose settings we read, in the order in which they are tried. */
export const extractors: readonly Extractor[] = [];
