import { get } from './calls.ts';
import { reportedAt } from './fill.ts';
import { MARKS } from './marks.ts';
import type { RunningServer } from './processes.ts';

/** Returns the path of a call to a server with `count` reports. */
type PathOf = (count: number, server: RunningServer) => string | Promise<string>;

const list = (query: string) => `/feed/ply/reports?limit=100&${query}`;
const middle = (count: number) => reportedAt(count / 2).toISOString();

const { confidence: min_confidence, c2, ...others } = MARKS;

/** The query values of each filter. */
const filters: Readonly<Record<string, { frequent: string | number; seldom: string | number }>> = {
  ...others,
  min_confidence,
  c2: {
    frequent: `${c2.frequent.host}:${c2.frequent.port}`,
    seldom: `${c2.seldom.host}:${c2.seldom.port}`,
  },
};

function filterCalls(): Record<string, PathOf> {
  const calls: Record<string, PathOf> = {};
  for (const [name, { frequent, seldom }] of Object.entries(filters)) {
    calls[`a page by ${name}, a fiftieth`] = () => list(`${name}=${frequent}`);
    calls[`a page by ${name}, a hundred`] = () => list(`${name}=${seldom}`);
  }
  return calls;
}

/** Pages of 100 from different positions of a feed, each filter alone, and changes. */
export const calls: Readonly<Record<string, PathOf>> = {
  'the newest page': () => list(''),
  'the oldest page': () => list('order=asc'),
  'a page by its cursor': async (count, server) => {
    const query = `created_before=${middle(count)}`;
    const { nextCursor } = JSON.parse(await get(server, list(query)));
    return list(`${query}&cursor=${nextCursor}`);
  },
  'a page by created_before': (count) => list(`created_before=${middle(count)}`),
  'a page by created_after': (count) => list(`created_after=${middle(count)}`),
  'a page by created_after, oldest first': (count) =>
    list(`order=asc&created_after=${middle(count)}`),
  ...filterCalls(),
  'a page by two tags': () => list('tag=rat&tag=frequent'),
  'a page by two tags that no report has': () => list('tag=frequent&tag=seldom'),
  'a page by tag and min_confidence, oldest first': () =>
    list(`order=asc&tag=frequent&min_confidence=${min_confidence.frequent}`),
  'the first 1,000 changes': () => '/feed/ply/changes?limit=1000&since=0',
  '1,000 changes in the middle': (count) => `/feed/ply/changes?limit=1000&since=${count / 2}`,
};
