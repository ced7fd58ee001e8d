import fc from 'fast-check';

/**
 * Checks a property twice: with a fixed seed, so that a failure is reproducible, and with a random
 * one, so that each run tests other values. The message of a failure contains the seed.
 */
export function always<Values>(property: fc.IRawProperty<Values, false>, numRuns = 100): void {
  fc.assert(property, { seed: 20_260_826, numRuns });
  fc.assert(property, { numRuns });
}

/** Any Unicode code point, lone surrogates included. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code));
