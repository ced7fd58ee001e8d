import type { AttackCase } from '../case.ts';
import { fillFeed } from '../fill.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import type { Target } from '../target.ts';

const REPORTS = 10_000;
/** More than a search scans before it reads the index of hosts. */
const NEWER = 2500;
const LINES = 100;
const SLOW_MS = 60_000;
const BUSY = 'busy.example';
/** Half of all addresses, and every network is divided into many ranges. */
const WIDEST = ['0.0.0.0/0', '::/0', '0.0.0.0/1', '10.0.0.0/8', '10.0.0.0/9', '10.0.0.0/17'];

function list(name: string, queries: readonly unknown[], safe: RequestCase['safe']): RequestCase {
  const body = JSON.stringify({ queries });
  return { name, as: 'reader', send: { method: 'POST', path: '/api/search', body }, safe };
}

const REQUESTS: readonly RequestCase[] = [
  ...['%%%%%%%%', '________', 'deadbee%', '192.0.2.%/24', '*'].map(
    (text): RequestCase => ({
      name: `a search for the wildcards ${text}`,
      as: 'reader',
      send: { path: `/api/search?q=${encodeURIComponent(text)}` },
      safe: { status: 200, mustMatch: /"results":\[\]/ },
    }),
  ),
  list('a search for a list of 101 lines', Array(LINES + 1).fill('a.example'), {
    status: 400,
    code: 'invalid_body',
  }),
  list('a search for a list of lists', [[['a.example']]], { status: 400, code: 'invalid_body' }),
  list('a search for a list with one line of 50 kB', ['a'.repeat(50_000)], {
    status: 200,
    mustMatch: /"error":"It must be a hash/,
  }),
  ...['', '%00', '*.example', 'a.example:0', 'a'.repeat(5000)].map(
    (text, index): RequestCase => ({
      name: `what belongs to no address, ${index}`,
      as: 'reader',
      send: { path: `/api/related?c2=${text}` },
      safe: { status: 400, code: 'invalid_query' },
    }),
  ),
];

/** The longest lists and the widest networks. */
export const searches: readonly AttackCase[] = [
  ...REQUESTS.map(requestCase),
  {
    name: `searches for the widest networks in a feed of ${REPORTS} addresses`,
    safe: 'reads a bounded number of hosts, and says that there may be more',
    isLoad: true,
    prepare: fillHosts,
    async run(target) {
      const unsafe: string[] = [];
      for (const network of WIDEST) {
        const path = `/api/search?limit=100&q=${encodeURIComponent(network)}`;
        unsafe.push(...(await send(target, network, path)));
      }
      return unsafe;
    },
  },
  {
    name: `what belongs to a host with ${REPORTS} ports and ${NEWER} names below it`,
    safe: 'answers with twenty of each, and says that there are more',
    isLoad: true,
    async prepare(target) {
      const ports = (index: number) => ({ c2Address: `${BUSY}:${index + 1}` });
      await fillFeed(target, { service: 'ply', count: REPORTS, member: ports });
      const names = (index: number) => ({ c2Address: `n${index}.${BUSY}:1` });
      await fillFeed(target, { service: 'ply', count: NEWER, member: names });
    },
    async run(target) {
      const related = await target.client('reader').showRelated(BUSY);
      const found = await Promise.all(
        Array.from({ length: 8 }, () => send(target, 'a host', `/api/related?c2=${BUSY}`)),
      );
      return [
        ...new Set(found.flat()),
        ...(related.sameHost.c2s.length === 20 && related.below.hosts.length === 20
          ? []
          : ['the lists are not bounded']),
      ];
    },
  },
  {
    name: `four concurrent lists of ${LINES} wide networks in a feed of ${REPORTS} addresses`,
    safe: 'searches for one line after the other, and answers others in between',
    isLoad: true,
    prepare: fillHosts,
    async run(target) {
      const queries = Array.from({ length: LINES }, (_, index) => WIDEST[index % WIDEST.length]);
      const body = JSON.stringify({ queries, limit: 10 });
      const headers = { 'content-type': 'application/json' };
      const found = await Promise.all(
        Array.from({ length: 4 }, () =>
          send(target, 'a list', '/api/search', { method: 'POST', headers, body }),
        ),
      );
      return [...new Set(found.flat())];
    },
  },
];

async function fillHosts(target: Target): Promise<void> {
  await fillFeed(target, { service: 'ply', count: REPORTS });
  const member = (index: number) => ({ c2Address: `newer-${index}.example:1` });
  await fillFeed(target, { service: 'ply', count: NEWER, member });
}

async function send(
  target: Target,
  name: string,
  path: string,
  init: RequestInit = {},
): Promise<readonly string[]> {
  const startedAt = performance.now();
  const answer = await target.call('reader', path, init);
  const text = await answer.text();
  const ms = performance.now() - startedAt;
  return [
    ...(answer.status === 200 ? [] : [`${name} was answered with ${answer.status}`]),
    ...(ms <= SLOW_MS ? [] : [`${name} took ${Math.round(ms)} ms`]),
    ...(name === '::/0' || text.includes('"hasMore":true') ? [] : [`${name} seems complete`]),
  ];
}
