import fc from 'fast-check';

/**
 * Checks a property twice: with a fixed seed, so that a failure is the same for everybody, and with
 * a new one, so that every run looks somewhere else. The message of a failure has the seed to
 * repeat it.
 */
export function always<Values>(property: fc.IRawProperty<Values, false>, numRuns = 100): void {
  fc.assert(property, { seed: 20_260_826, numRuns });
  fc.assert(property, { numRuns });
}

/** Any code point there is, lone surrogates included. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code));
