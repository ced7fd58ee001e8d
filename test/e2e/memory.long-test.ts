import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { importLargeLines } from '../attack/load/large-import-lines.ts';
import { pipelineBehindStream } from '../attack/load/pipelined-behind-stream.ts';
import { pipelineRequests } from '../attack/load/pipelined-requests.ts';
import { peakDuring, residentBytes } from '../attack/load/resident-memory.ts';
import { leaveBatchesUnread } from '../attack/load/unread-batches.ts';
import { leaveLookupsUnread } from '../attack/load/unread-lookups.ts';
import { wireAnalysis } from '../builders.ts';
import { type TestServer, Workplace } from '../workplace.ts';

const WAIT = { timeout: 300_000, skip: process.platform !== 'linux' && '/proc is of Linux alone' };
/** The most that any of these may take above what the idle server has. */
const MOST_OVER_IDLE = 300_000_000;
const HOLD_MS = 3000;
const SERVICE = 'ply';

let place: Workplace;
let server: TestServer;
let admin: string;
let token: string;

beforeEach(async () => {
  place = new Workplace();
  server = await place.server();
  admin = readFileSync(join(place.dataDir, 'admin-token'), 'utf8').trim();
  await post('/admin/services', { slug: SERVICE });
  ({ token } = await post('/admin/accounts', { name: 'reader' }));
});
afterEach(() => place.close());

async function post(path: string, body: unknown) {
  const isText = typeof body === 'string';
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: admin,
      'content-type': isText ? 'application/x-ndjson' : 'application/json',
    },
    body: isText ? body : JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as { token: string };
}

/** A line of an import whose settings hold that value. */
function lineOf(file: string, value: unknown): string {
  return JSON.stringify(wireAnalysis(file, { configs: { LANTERN: { value } } }));
}

/** Stores a report about so large; its hash. */
async function largeReport(bytes: number): Promise<string> {
  await post('/admin/samples', lineOf('large', 'x'.repeat(bytes)));
  return wireAnalysis('large').sha256Hash;
}

async function assertBounded(attack: () => Promise<unknown>): Promise<void> {
  const idle = residentBytes(server.pid);
  const over = (await peakDuring(server.pid, attack, 500)) - idle;
  assert.ok(over < MOST_OVER_IDLE, `${Math.round(over / 1e6)} MB above the idle server`);
  const alive = await fetch(`${server.url}/livez`);
  assert.equal(alive.status, 200, 'the server no longer serves');
}

describe('memory stays bounded', WAIT, () => {
  it('while connections read nothing and send request upon request', async () => {
    const { url } = server;
    await assertBounded(() =>
      pipelineRequests({ url, connections: 100, requestsEach: 2400, holdMs: HOLD_MS }),
    );
  });

  it('while one sends requests without end behind a stream', async () => {
    const { url } = server;
    await assertBounded(() =>
      pipelineBehindStream({ url, token, service: SERVICE, requests: 120_000, sendMs: HOLD_MS }),
    );
  });

  it('while batches of large reports are not read', async () => {
    const hash = await largeReport(512 * 1024);
    const { url } = server;
    await assertBounded(() =>
      leaveBatchesUnread({ url, token, hash, connections: 10, holdMs: HOLD_MS }),
    );
  });

  it('while hundreds of large reports are not read', async () => {
    const path = `/private/sample/${await largeReport(1000 * 1024)}`;
    const { url } = server;
    await assertBounded(() =>
      leaveLookupsUnread({
        url,
        token,
        path,
        connections: 500,
        requestsEach: 2,
        holdMs: HOLD_MS,
      }),
    );
  });

  for (const [what, value] of [
    ['empty objects', Array.from({ length: 340_000 }, () => ({}))],
    ['one text', 'x'.repeat(1_040_000)],
    ['numbers', Array.from({ length: 500_000 }, () => 1)],
  ] as const)
    it(`while lines of a megabyte are imported that are ${what}`, async () => {
      const { url } = server;
      const line = lineOf('large', value);
      await assertBounded(() =>
        importLargeLines({ url, token: admin, lines: 200, line: () => line }),
      );
    });
});
