/**
 * The values that list filters select. One report in fifty has a frequent value. A hundred reports
 * have a rare one, spread over the store whatever its size. Every filter therefore fills a page in
 * every store, and the cost is constant only if an index serves the filter.
 */
export const MARKS = {
  tag: { frequent: 'frequent', seldom: 'seldom' },
  host: { frequent: 'frequent.ply.example', seldom: 'seldom.ply.example' },
  port: { frequent: 443, seldom: 80 },
  c2: {
    frequent: { host: 'tunnel.ply.example', port: 1000 },
    seldom: { host: 'tunnel.ply.example', port: 1001 },
  },
  hash: { frequent: 'f'.repeat(64), seldom: 'e'.repeat(64) },
  reporter: { frequent: 'frequent', seldom: 'seldom' },
  confidence: { frequent: 90, seldom: 99 },
  status: { frequent: 'acknowledged', seldom: 'rejected' },
} as const;

type Kind = keyof typeof MARKS;
type Frequency = 'frequent' | 'seldom';
export type Value<Of extends Kind> = (typeof MARKS)[Of][Frequency];
type Marks = { readonly [Of in Kind]: Readonly<Record<Frequency, Value<Of>>> };

const KINDS = Object.keys(MARKS) as readonly Kind[];
const FREQUENT_EVERY = 50;
const SELDOM = 100;

/** Returns the marked values of a report, derived from its number. Most reports have none. */
export function marksOf(number: number, count: number) {
  const frequent = KINDS[number % FREQUENT_EVERY];
  // Offset by the number of kinds, so that no report has a frequent and a rare value of one kind.
  const seldom = KINDS[(number % Math.ceil(count / SELDOM)) - KINDS.length];
  const frequencyOf = (kind: Kind): Frequency | undefined => {
    if (kind === seldom) return 'seldom';
    return kind === frequent ? 'frequent' : undefined;
  };
  return <Of extends Kind>(kind: Of): Value<Of> | undefined => {
    const frequency = frequencyOf(kind);
    const marks: Marks = MARKS;
    return frequency && marks[kind][frequency];
  };
}
