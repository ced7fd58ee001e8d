/** Codings of which the build keeps compressed copies. */
export type Encoding = 'br' | 'gzip';

const ALIASES = new Map([['x-gzip', 'gzip']]);

/** Below every weight that a client can state, because it is the largest form. */
const IDENTITY_WEIGHT = 0.0001;

/**
 * The coding with the highest weight in `Accept-Encoding` (RFC 9110, section 12.5.3), and among
 * equal weights the first in `encodings`. `undefined` means the file as it is, even for a client
 * that accepts nothing: a page is more useful than a refusal.
 */
export function chooseEncoding<Name extends string>(
  encodings: readonly Name[],
  acceptEncoding: string | undefined,
): Name | undefined {
  const weights = readWeights(acceptEncoding ?? '');
  const others = weights.get('*') ?? 0;
  let best: Name | undefined;
  let bestWeight = weights.get('identity') ?? IDENTITY_WEIGHT;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? others;
    // A compressed copy of equal weight is the shorter one.
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === undefined))
      [best, bestWeight] = [encoding, weight];
  }
  return best;
}

function readWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (name !== '') weights.set(ALIASES.get(name) ?? name, weightOf(parameters));
  }
  return weights;
}

/** A malformed weight counts as not acceptable. */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
