/**
 * Values by which lists are filtered. One report in fifty has a frequent one; of the seldom ones
 * there are a hundred reports, spread over the whole store, however many it has. So a filter finds
 * a full page in every store, and looking for it costs the same only where an index leads to it.
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

/** What is special about a report, by its number; about most there is nothing. */
export function marksOf(number: number, count: number) {
  const frequent = KINDS[number % FREQUENT_EVERY];
  // Behind those of the frequent ones, so that they do not meet.
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
