import { reportId, sampleSha256, tlshOf } from '../fill.ts';
import type { Call, FlatServer } from '../flat/client.ts';
import { JSON_TYPE, json, NDJSON } from '../flat/flat-case.ts';
import { MARKS } from '../marks.ts';
import { bulkBody, createBody, importBody, mispBody, spread } from '../requests.ts';

const post = { method: 'POST' };
/** Rows that no filled store has. */
const NEW_ROWS = 50_000_000;
const LIST = '/feed/ply/reports?limit=1000';
const OBJECTS = '/taxii2/feeds/collections/ply/objects/';
const MANIFEST = '/taxii2/feeds/collections/ply/manifest/';
const SSDEEP = '96:aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3:aB3dE5fG7hI9jK1';
const PIPELINED = 30;

/** One run of a case. */
export interface Run {
  readonly server: FlatServer;
  /** From 0. */
  readonly number: number;
}

type Calls = (run: Run) => Call | readonly Call[] | Promise<Call | readonly Call[]>;

/** Calls with the largest input of an operation. Several calls are pipelined in one connection. */
export type TurnCase = Calls;

const get =
  (path: string): Calls =>
  () => ({ path });

const asAdmin =
  (path: string): Calls =>
  ({ server }) => ({ path, token: server.adminToken });

function pipelined(pathOf: (number: number, count: number) => string): Calls {
  return ({ server, number }) =>
    Array.from({ length: PIPELINED }, (_, at) => ({
      path: pathOf(spread(number * PIPELINED + at, server.count), server.count),
    }));
}

/** The day with the most reports. */
async function mispEvent({ server }: Run): Promise<Call> {
  const events = Object.keys(await server.json({ path: '/misp/ply/manifest.json' }));
  return { path: `/misp/ply/${events[0]}.json` };
}

const ids = (count: number, from: number) =>
  Array.from({ length: count }, (_, at) => reportId(from + at));

/** Reports with as many tags as are allowed, none of which exists. */
function bulkOfTags(number: number, lines: number, count: number): string {
  return Array.from({ length: lines }, (_, line) => {
    const from = 2 * NEW_ROWS + number * lines + line;
    const tags = Array.from({ length: 32 }, (_tag, tag) => `new-${from}-${tag}`);
    return `${JSON.stringify({ ...JSON.parse(createBody(from, count)), tags })}\n`;
  }).join('');
}

const reads: Readonly<Record<string, TurnCase>> = {
  livez: get('/livez'),
  mispEvent,
  mispHashes: get('/misp/ply/hashes.csv'),
  mispManifest: get('/misp/ply/manifest.json'),
  'similar by TLSH': ({ number }) => ({ path: `/private/similar?tlsh=${tlshOf(number)}&limit=50` }),
  'similar by ssdeep': get(`/private/similar?ssdeep=${encodeURIComponent(SSDEEP)}&limit=50`),
  'listReports, 1,000': get(LIST),
  'listReports, 1,000, confidence': get(`${LIST}&min_confidence=${MARKS.confidence.frequent}`),
  'listReports, 1,000, tag': get(`${LIST}&tag=${MARKS.tag.frequent}`),
  'listReports, 1,000, tag of few': get(`${LIST}&tag=${MARKS.tag.seldom}`),
  'listReports, 1,000, status': get(`${LIST}&status=${MARKS.status.frequent}`),
  'listReports, counted': get('/feed/ply/reports?limit=1&count=true'),
  'listAllReports, 1,000': get('/feed/all/reports?limit=1000'),
  'feedChanges, 1,000': get('/feed/ply/changes?limit=1000&since=5000'),
  'allChanges, 1,000': get('/feed/all/changes?limit=1000&since=0'),
  'feedStream, 2,000 changes': () => ({ path: '/feed/ply/stream?since=0', until: 'id: 2000\n' }),
  'search, a host': get(`/api/search?limit=100&q=${MARKS.host.frequent}`),
  'search, a word': get('/api/search?limit=100&q=asyncrat'),
  'search, a prefix': get('/api/search?limit=100&q=host1'),
  showAddress: get(`/api/c2?c2=${MARKS.c2.frequent.host}:${MARKS.c2.frequent.port}`),
  showHost: get(`/api/hosts?host=${MARKS.host.frequent}`),
  showRelated: get(`/api/related?c2=${MARKS.host.frequent}`),
  feedStatistics: get('/feed/ply/statistics?days=90'),
  allStatistics: get('/feed/all/statistics?days=90'),
  reporterStatistics: get('/api/statistics/reporters/bench'),
  serviceStatistics: get('/api/statistics/services/ply?days=90'),
  'taxiiObjects, the largest page': get(`${OBJECTS}?limit=1000`),
  'taxiiManifest, the largest page': get(`${MANIFEST}?limit=1000`),
  'listProposals, 1,000': get('/api/proposals?state=open&limit=1000'),
  'audit, 1,000': asAdmin('/admin/audit?limit=1000'),
  'usage, 1,000': get('/api/usage?limit=1000'),
  queryIocs: () => ({
    ...post,
    path: '/threatfox/api/v1/',
    ...json({ query: 'search_ioc', search_term: MARKS.host.frequent, exact_match: true }),
  }),
  'queryIocs, recent': () => ({
    ...post,
    path: '/threatfox/api/v1/',
    ...json({ query: 'get_iocs', days: 7 }),
  }),
  lookUpMany: ({ number, server }) => ({
    ...post,
    path: '/private/samples',
    ...json({
      hashes: Array.from({ length: 100 }, (_, at) =>
        sampleSha256(spread(number * 100 + at, server.count)),
      ),
    }),
  }),
  '30 pipelined livez': pipelined(() => '/livez'),
  '30 pipelined lookups': pipelined((row) => `/private/sample/${sampleSha256(row)}`),
  '30 pipelined fetches': pipelined((row) => `/feed/ply/api?report=${reportId(row)}`),
  '30 pipelined pages of 100': pipelined(() => '/feed/ply/reports?limit=100'),
};

const exported = ['ndjson', 'json', 'csv', 'stix', 'misp', 'txt'];

const exports: Readonly<Record<string, TurnCase>> = Object.fromEntries(
  exported.map((format) => [
    `export of the feed, ${format}`,
    // Every run has another filter, so that each builds its own file.
    ({ number }: Run) => ({ path: `/feed/ply/export/${format}?min_confidence=${number}` }),
  ]),
);

const writes: Readonly<Record<string, TurnCase>> = {
  'createReports, 10,000': ({ number, server }) => ({
    ...post,
    path: '/feed/ply/reports',
    type: NDJSON,
    body: bulkBody(NEW_ROWS + number * 10_000, 10_000, server.count),
  }),
  'createReports, 500 with 32 new tags': ({ number, server }) => ({
    ...post,
    path: '/feed/ply/reports',
    type: NDJSON,
    body: bulkOfTags(number, 500, server.count),
  }),
  'createFromMisp, 1,000': ({ number, server }) => ({
    ...post,
    path: '/feed/ply/misp',
    type: JSON_TYPE,
    body: mispBody(3 * NEW_ROWS + number * 1000, 1000, server.count),
  }),
  'importSamples, 5,000': ({ number, server }) => ({
    ...post,
    path: '/admin/samples',
    type: NDJSON,
    body: importBody(number * 5000, 5000),
    token: server.adminToken,
  }),
  'setStatuses, 10,000': ({ number }) => ({
    method: 'PATCH',
    path: '/feed/ply/reports',
    ...json({ ids: ids(10_000, 1 + 10_000 * number), status: 'acknowledged' }),
  }),
};

export const cases: Readonly<Record<string, TurnCase>> = { ...reads, ...exports, ...writes };
