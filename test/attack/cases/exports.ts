import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackCase } from '../case.ts';
import { fillFeed } from '../fill.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import { signIn } from '../sessions.ts';
import type { Target } from '../target.ts';
import { open } from '../wire.ts';

const OBJECTS = '/taxii2/feeds/collections/ply/objects/';
const TAXII = 'Content-Type: application/taxii+json;version=2.1';
const ENVELOPE = '{"objects":[{"id":"indicator--1","type":"indicator"}]}';
const FEED = 30_000;
/** Exports with different filters, so that each is a build of its own. */
const BUILDS = 100;
/** The server checks permissions again at least every second. */
const RECHECK_MS = 3000;
const SLOW_READERS = 40;

const basic = (pair: string) => `Authorization: Basic ${Buffer.from(pair).toString('base64')}`;
const NO_TOKEN = { status: 401, code: 'token_missing' };
const BAD_TOKEN = { status: 401, code: 'token_invalid' };
const BAD_QUERY = { status: 400, code: 'invalid_query' };

function without(method: string, path: string): RequestCase {
  const body = method === 'POST' ? { body: ENVELOPE, headers: [TAXII] } : {};
  const send = { method, path, ...body };
  return { name: `${method} ${path} without a token`, send, safe: NO_TOKEN };
}

function reading(name: string, path: string, safe: RequestCase['safe']): RequestCase {
  return { name, as: 'reader', send: { path }, safe };
}

const REQUESTS: readonly RequestCase[] = [
  without('GET', '/feed/ply/export/ndjson'),
  without('GET', '/feed/all/export/stix'),
  without('HEAD', '/feed/ply/export/csv'),
  without('GET', '/taxii2/'),
  without('GET', '/taxii2/feeds/collections/'),
  without('GET', OBJECTS),
  without('GET', '//taxii2//feeds/collections/ply/manifest'),
  without('POST', OBJECTS),
  without('DELETE', `${OBJECTS}indicator--1/`),
  without('GET', '/taxii2/feeds/status/01900000-0000-4000-8000-000000000000/'),
  {
    name: 'a submission by TAXII as reader',
    as: 'reader',
    send: { method: 'POST', path: OBJECTS, headers: [TAXII], body: ENVELOPE },
    safe: { status: 403, code: 'role_missing' },
  },
  {
    name: 'a submission by TAXII with a session, as a form of another page',
    send: async (target) => ({
      method: 'POST',
      path: OBJECTS,
      headers: [`Cookie: ${await signIn(target, 'researcher')}`, 'Content-Type: text/plain'],
      body: ENVELOPE,
    }),
    safe: { status: 403, code: 'cross_origin' },
  },
  ...['', ':', 'x', 'x:', ':x', 'a:b:c', '\0:\0', 'é:é'].map((pair) => ({
    name: `Basic with the pair ${JSON.stringify(pair)}`,
    send: { path: '/taxii2/', headers: [basic(pair)] },
    safe: pair === '' ? { status: 401 } : BAD_TOKEN,
  })),
  {
    name: 'Basic with text that is not base64',
    send: { path: '/taxii2/', headers: ['Authorization: Basic !!!!'] },
    safe: BAD_TOKEN,
  },
  {
    name: 'a token in both halves of Basic, of which the password is wrong',
    send: ({ tokens }) => ({
      path: '/taxii2/',
      headers: [basic(`${tokens.get('reader')}:${tokens.get('reader')?.slice(0, -1)}x`)],
    }),
    // A password that is no token is ignored: some pollers need any.
    safe: { status: 200, mustNotMatch: /rap_/ },
  },
  {
    name: 'a challenge for a password outside of the paths of pollers',
    send: { path: '/feed/ply/export/csv' },
    safe: { ...NO_TOKEN, mustNotMatch: /^www-authenticate: basic/im },
  },
  reading('an export format that is a path', '/feed/ply/export/..%2f..%2fadmin-token', {
    status: 404,
    code: 'unknown_format',
  }),
  reading('an export of a service that is a path', '/feed/..%2f..%2f/export/csv', { status: 404 }),
  reading('an export format of Object.prototype', '/feed/ply/export/__proto__', {
    status: 404,
    code: 'unknown_format',
  }),
  reading('an export option of Object.prototype', '/feed/ply/export/csv?__proto__=x', BAD_QUERY),
  reading('a line break in a filter of an export', '/feed/ply/export/txt?tag=a%0d%0aX-Evil:%201', {
    status: [200, 400],
    mustNotMatch: /^x-evil/im,
  }),
  {
    name: 'If-None-Match with 3,000 tags',
    as: 'reader',
    send: { path: '/feed/ply/export/txt', headers: [`If-None-Match: ${'"",'.repeat(3000)}"x"`] },
    safe: { status: 200 },
  },
  {
    name: 'Accept with 2,000 types',
    as: 'reader',
    send: { path: '/taxii2/', headers: [`Accept: ${'a/b;c,'.repeat(2000)}a/b`] },
    safe: { status: 406 },
  },
  reading('a page of more objects than the limit', `${OBJECTS}?limit=999999999999999`, {
    status: 200,
  }),
  ...['limit=0', 'limit=-1', 'limit=1e3', 'limit=1&limit=2', 'added_after=now'].map((query) =>
    reading(`objects with ${query}`, `${OBJECTS}?${query}`, BAD_QUERY),
  ),
  reading('objects by 300 ids', `${OBJECTS}?match[id]=${'indicator--1,'.repeat(300)}x`, BAD_QUERY),
  reading('a forged cursor', `${OBJECTS}?next=AAAA`, { status: 400, code: 'invalid_cursor' }),
  reading('a collection that is a path', '/taxii2/feeds/collections/..%2f/objects/', {
    status: 404,
  }),
];

async function post(target: Target, objects: readonly object[]): Promise<readonly string[]> {
  const answer = await target.call('researcher', OBJECTS, {
    method: 'POST',
    headers: { 'content-type': 'application/taxii+json;version=2.1' },
    body: JSON.stringify({ objects }),
  });
  await answer.text();
  return [202, 413, 422].includes(answer.status) ? [] : [`answered ${answer.status}`];
}

/** Many indicators of one infrastructure, which has much traffic. */
function denseObjects(count: number): readonly object[] {
  const indicator = (id: string, pattern: string, externalId: number) => ({
    id,
    type: 'indicator',
    spec_version: '2.1',
    pattern_type: 'stix',
    pattern,
    external_references: [{ source_name: 'x', external_id: `${externalId}` }],
  });
  const relation = (type: string, source: string, target: string) => ({
    id: `r-${source}-${target}`,
    type: 'relationship',
    relationship_type: type,
    source_ref: source,
    target_ref: target,
  });
  return Array.from({ length: count }, (_, index) => [
    indicator(`c${index}`, "[ipv4-addr:value = '192.0.2.1']", index),
    indicator(`f${index}`, "[file:hashes.'SHA-256' = 'x']", index),
    relation('indicates', `c${index}`, 'x'),
    relation('consists-of', 'x', `t${index}`),
    relation('consists-of', 'x', `u${index}`),
  ]).flat();
}

const LOADS: readonly AttackCase[] = [
  {
    name: `${BUILDS} different exports of one account at once`,
    safe: 'refuses those above the limit, and serves another account',
    isLoad: true,
    prepare: (target) => fillFeed(target, { service: 'ply', count: FEED }),
    async run(target) {
      const calls = Array.from({ length: BUILDS }, async (_, index) => {
        const answer = await target.call(
          'researcher',
          `/feed/ply/export/csv?min_confidence=${index}`,
        );
        await answer.arrayBuffer();
        return answer.status;
      });
      const startedAt = performance.now();
      const other = await target.call('owner', '/feed/ply/export/txt');
      const text = await other.text();
      const ms = performance.now() - startedAt;
      const statuses = await Promise.all(calls);
      const refused = statuses.filter((status) => status === 429 || status === 503).length;
      return [
        ...(refused > BUILDS / 2 ? [] : [`only ${refused} were refused`]),
        ...(statuses.includes(200) ? [] : ['none was served']),
        ...(other.status === 200 && text.includes('# END') ? [] : [`another got ${other.status}`]),
        ...(ms < 20_000 ? [] : [`another account waited ${Math.round(ms)} ms`]),
      ];
    },
  },
  {
    name: `${SLOW_READERS} exports of one account that are not read`,
    safe: 'holds no more memory for them than for others, and refuses those above the limit',
    isLoad: true,
    prepare: (target) => fillFeed(target, { service: 'ply', count: FEED }),
    async run(target) {
      const sockets = await Promise.all(
        Array.from({ length: SLOW_READERS }, async () => {
          const socket = await open(target.port);
          socket.pause();
          socket.write(
            `GET /feed/ply/export/stix HTTP/1.1\r\nHost: x\r\nAuthorization: ${target.tokenOf('researcher')}\r\n\r\n`,
          );
          return socket;
        }),
      );
      await sleep(5000);
      for (const socket of sockets) socket.destroy();
      return [];
    },
  },
  {
    name: 'an export that is read after its account is disabled',
    safe: 'aborts the transfer within two seconds',
    isLoad: true,
    prepare: (target) => fillFeed(target, { service: 'ply', count: FEED }),
    async run(target) {
      const admin = target.client('admin');
      const { account, token } = await admin.addAccount({ name: 'exports then disabled' });
      const socket = await open(target.port);
      socket.write(
        `GET /feed/ply/export/stix HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${token}\r\n\r\n`,
      );
      const [first] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      await admin.changeAccount(account.id, { disabled: true });
      await sleep(RECHECK_MS);
      const parts = [first];
      socket.on('data', (part: Buffer) => parts.push(part)).resume();
      await Promise.race([once(socket, 'close'), sleep(10_000)]);
      socket.destroy();
      const isWhole = Buffer.concat(parts).toString('latin1').trimEnd().endsWith('0');
      return isWhole ? ['the whole export was sent'] : [];
    },
  },
  {
    name: 'envelopes of which each indicator leads to all traffic, or with very many objects',
    safe: 'reads them in linear time, and refuses those above the limit',
    isLoad: true,
    async run(target) {
      return [
        ...(await post(target, denseObjects(400))),
        ...(await post(target, denseObjects(2500))),
        ...(await post(
          target,
          Array.from({ length: 60_000 }, (_, index) => ({ id: `a${index}`, type: 'a' })),
        )),
      ];
    },
  },
  {
    name: `a walk through ${FEED} reports by a filter that no object meets`,
    safe: 'returns after a limited number of rows, with a cursor',
    isLoad: true,
    prepare: (target) => fillFeed(target, { service: 'ply', count: FEED }),
    async run(target) {
      const versions = Array.from({ length: 300 }, () => '2020-01-01T00:00:00.000Z').join();
      const startedAt = performance.now();
      const answer = await target.call('reader', `${OBJECTS}?match[version]=${versions}`);
      const { more } = (await answer.json()) as { more?: boolean };
      const ms = performance.now() - startedAt;
      return [
        ...(answer.status === 200 && more === true ? [] : [`answered ${answer.status}`]),
        ...(ms < 5000 ? [] : [`took ${Math.round(ms)} ms`]),
      ];
    },
  },
];

/** What pollers and block lists read: exports and TAXII. */
export const exports: readonly AttackCase[] = [...REQUESTS.map(requestCase), ...LOADS];
