import { calls as pageCalls } from '../feed-calls.ts';
import { reportedAt, reportId } from '../fill.ts';
import { MARKS } from '../marks.ts';
import { bulkBody, createBody, mispBody, spread, xarfBody } from '../requests.ts';
import type { FlatServer } from './client.ts';
import { type CallContext, type FlatCase, JSON_TYPE, json, NDJSON, ownRow } from './flat-case.ts';

const post = { method: 'POST' };
/** Rows that no filled store has. */
const NEW_ROWS = 20_000_000;
const LINES = 100;
const IDS = 10;

/** The position after the first 100 changes of all feeds. */
async function positionInAll(server: FlatServer, calls: number): Promise<readonly string[]> {
  const { next } = await server.json({ path: '/feed/all/changes?limit=100&since=0' });
  return Array.from({ length: calls }, () => String(next));
}

/** Each call exports another few reports: the time of a whole feed grows with its reports. */
function exportOfFew(feed: string, { number, server }: CallContext): string {
  const before = reportedAt(101 + (spread(number, server.count) % (server.count - 101)));
  return `/feed/${feed}/export/ndjson?hash=${MARKS.hash.seldom}&created_before=${before.toISOString()}`;
}

export const feedReads: Readonly<Record<string, FlatCase>> = {
  fetchReport: {
    call: ({ number, server }) => ({
      path: `/feed/ply/api?report=${reportId(spread(number, server.count))}`,
    }),
  },
  showReport: {
    call: ({ number, server }) => ({
      path: `/feed/ply/reports/${reportId(spread(number, server.count))}`,
    }),
  },
  reportHistory: {
    call: ({ number, server }) => ({
      path: `/feed/ply/reports/${reportId(spread(number, server.count))}/history`,
    }),
  },
  mispManifest: { call: () => ({ path: '/misp/ply/manifest.json' }) },
  mispEvent: {
    calls: 20,
    // The last day of the manifest: a day has as many reports at every size of the store.
    prepare: async (server, calls) => {
      const events = Object.keys(await server.json({ path: '/misp/ply/manifest.json' }));
      return Array.from({ length: calls }, () => String(events.at(-1)));
    },
    call: ({ id }) => ({ path: `/misp/ply/${id}.json` }),
  },
  mispEventOfAll: {
    calls: 20,
    prepare: async (server, calls) => {
      const events = Object.keys(await server.json({ path: '/misp/ply/manifest.json' }));
      return Array.from({ length: calls }, () => String(events.at(-1)));
    },
    call: ({ id }) => ({ path: `/misp/all/${id}.json` }),
  },
  queryIocs: {
    calls: 40,
    call: () => ({
      ...post,
      path: '/threatfox/api/v1/',
      ...json({ query: 'search_ioc', search_term: MARKS.host.frequent, exact_match: true }),
    }),
  },
  feedStatistics: { call: () => ({ path: '/feed/ply/statistics?days=90' }) },
  allStatistics: { call: () => ({ path: '/feed/all/statistics?days=90' }) },
  reporterStatistics: {
    prepare: async (server, calls) => {
      const { name } = await server.json({ path: '/api/me' });
      return Array.from({ length: calls }, () => String(name));
    },
    call: ({ id }) => ({ path: `/api/statistics/reporters/${id}` }),
  },
  serviceStatistics: { call: () => ({ path: '/api/statistics/services/ply?days=90' }) },
  showAddress: {
    call: () => ({ path: `/api/c2?c2=${MARKS.c2.frequent.host}:${MARKS.c2.frequent.port}` }),
  },
  showHost: { call: () => ({ path: `/api/hosts?host=${MARKS.host.frequent}` }) },
  showRelated: { call: () => ({ path: `/api/related?c2=${MARKS.host.frequent}` }) },
  listReports: {
    call: ({ number, server }) => {
      const before = reportedAt(101 + (spread(number, server.count) % (server.count - 101)));
      return { path: `/feed/ply/reports?limit=100&created_before=${before.toISOString()}` };
    },
  },
  listAllReports: { call: () => ({ path: '/feed/all/reports?limit=100' }) },
  exportFeed: { calls: 60, call: (context) => ({ path: exportOfFew('ply', context) }) },
  exportAllFeeds: { calls: 60, call: (context) => ({ path: exportOfFew('all', context) }) },
  feedChanges: {
    call: ({ number, server }) => {
      const since = spread(number, server.count) % (server.count - 100);
      return { path: `/feed/ply/changes?limit=100&since=${since}` };
    },
  },
  allChanges: {
    prepare: positionInAll,
    call: ({ id }) => ({ path: `/feed/all/changes?limit=100&since=${id}` }),
  },
  feedStream: {
    calls: 60,
    call: ({ server }) => ({
      path: `/feed/ply/stream?since=${server.count - IDS}`,
      until: 'event: created\n',
    }),
  },
  allStream: { calls: 60, call: () => ({ path: '/feed/all/stream', until: 'retry: ' }) },
  streamTicket: { call: () => ({ ...post, path: '/feed/ply/stream/tickets' }) },
  allStreamTicket: { call: () => ({ ...post, path: '/feed/all/stream/tickets' }) },
};

/** The filters of a list, and other positions of a feed. */
export const pageVariants: Readonly<Record<string, FlatCase>> = Object.fromEntries(
  Object.entries(pageCalls).map(([name, pathOf]): [string, FlatCase] => [
    name,
    {
      calls: 40,
      prepare: async (server, calls) => {
        const path = await pathOf(server.count, server.process);
        return Array.from({ length: calls }, () => path);
      },
      call: ({ id }) => ({ path: id }),
    },
  ]),
);

export const feedWrites: Readonly<Record<string, FlatCase>> = {
  createReport: {
    call: ({ number, server }) => ({
      ...post,
      path: '/feed/ply/api',
      type: JSON_TYPE,
      body: createBody(NEW_ROWS + number, server.count),
    }),
  },
  createFromXarf: {
    call: ({ number, server }) => ({
      ...post,
      path: '/feed/ply/xarf',
      type: JSON_TYPE,
      body: xarfBody(3 * NEW_ROWS + number, server.count),
    }),
  },
  createFromMisp: {
    calls: 20,
    call: ({ number, server }) => ({
      ...post,
      path: '/feed/ply/misp',
      type: JSON_TYPE,
      body: mispBody(4 * NEW_ROWS + LINES * number, LINES, server.count),
    }),
  },
  previewReport: {
    call: ({ number, server }) => ({
      ...post,
      path: '/feed/ply/preview',
      type: JSON_TYPE,
      body: createBody(number, server.count),
    }),
  },
  createReports: {
    calls: 20,
    call: ({ number, server }) => ({
      ...post,
      path: '/feed/ply/reports',
      type: NDJSON,
      body: bulkBody(2 * NEW_ROWS + number * LINES, LINES, server.count),
    }),
  },
  setStatus: {
    calls: 80,
    call: (context) => ({
      method: 'PATCH',
      path: `/feed/ply/reports/${reportId(ownRow(context, 0))}`,
      ...json({ status: 'actioned', reason: 'taken_down' }),
    }),
  },
  setStatuses: {
    calls: 20,
    call: (context) => {
      const first = context.number * IDS;
      const ids = Array.from({ length: IDS }, (_, at) => first + at).map((number) =>
        reportId(1 + ((1 + number * 16) % context.server.count)),
      );
      return {
        method: 'PATCH',
        path: '/feed/ply/reports',
        ...json({ ids, status: 'acknowledged' }),
      };
    },
  },
  deleteReport: {
    calls: 80,
    call: (context) => ({
      method: 'DELETE',
      path: `/feed/ply/api?report=${reportId(ownRow(context, 2))}`,
    }),
  },
};
