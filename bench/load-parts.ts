import type { LoadPlan } from './processes.ts';
import { bulk, changes, creates, fetches, importOf, lookups, pages, REQUESTS } from './requests.ts';

/** One kind of request, with the targets for a store with 1,000,000 rows. */
export interface LoadPart {
  /** Rounds of writes send different rows. */
  requests(count: number, round: number, adminToken: string): readonly string[];
  /** The target in µs of CPU time per request, or per line of a request. */
  readonly micros: number;
  readonly linesPerRequest?: number;
  readonly p99?: number;
  /** The least number of requests, or lines, a second. */
  readonly rate?: number;
  /** The target of the CPU time with many rows to that with few. */
  readonly toFew?: number;
  readonly plan?: Partial<LoadPlan>;
}

const LINES = 10_000;
/** One body at a time, each sent once. */
const inBulk = { once: true, connections: 1 };
const BODIES = 2;

const bodies = (round: number, make: (from: number) => string) =>
  Array.from({ length: BODIES }, (_, body) => make((round * BODIES + body) * LINES));

/** Reads first: writes make the store larger. */
export const loadParts: Readonly<Record<string, LoadPart>> = {
  lookups: { requests: lookups, micros: 36, toFew: 1.3 },
  fetches: { requests: fetches, micros: 26 },
  pages: { requests: pages, micros: 300 },
  changes: { requests: changes, micros: 300 },
  creates: {
    requests: (count, round) => creates(count, round * REQUESTS),
    micros: 100,
    p99: 25,
    toFew: 1.15,
  },
  bulk: {
    requests: (count, round) => bodies(round, (from) => bulk(10_000_000 + from, LINES, count)),
    micros: 25,
    rate: 40_000,
    linesPerRequest: LINES,
    plan: inBulk,
  },
  imports: {
    requests: (_, round, token) => bodies(round, (from) => importOf(from, LINES, token)),
    micros: 33,
    rate: 30_000,
    linesPerRequest: LINES,
    plan: inBulk,
  },
};
