import { wireAnalysis } from '../../builders.ts';
import type { AttackCase } from '../case.ts';
import { importLargeLines } from '../load/large-import-lines.ts';
import { pipelineBehindStream } from '../load/pipelined-behind-stream.ts';
import { pipelineRequests } from '../load/pipelined-requests.ts';
import { leaveBatchesUnread } from '../load/unread-batches.ts';
import { leaveLookupsUnread } from '../load/unread-lookups.ts';
import type { Target } from '../target.ts';

const HOLD_MS = 3000;
const LINES = 200;
const BOUNDED = 'limits its memory, and serves other clients';

/** An import line whose extracted configuration contains the value. */
function lineOf(file: string, value: unknown): string {
  return JSON.stringify(wireAnalysis(file, { configs: { LANTERN: { value } } }));
}

/** Stores an analysis of about this size. */
function storeAnalysis(bytes: number) {
  return async (target: Target): Promise<void> => {
    const answer = await target.call('admin', '/admin/samples', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lineOf('large', 'x'.repeat(bytes)),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the import was refused: ${text}`);
  };
}

function importCase(content: string, value: unknown, isLong: boolean): AttackCase {
  return {
    name: `an import of ${LINES} lines of a megabyte each: ${content}`,
    safe: 'parses within its limits, and refuses invalid lines one by one',
    isLoad: true,
    isLong,
    async run({ server: { url }, tokens }) {
      const line = lineOf('large', value);
      const token = tokens.get('admin') ?? '';
      const { status } = await importLargeLines({ url, token, lines: LINES, line: () => line });
      return status === 200 ? [] : [`answered ${status}`];
    },
  };
}

/** Responses that a client does not read must not fill the memory of the server. */
export const memory: readonly AttackCase[] = [
  {
    name: '100 connections that read nothing and pipeline 2,400 requests each',
    safe: BOUNDED,
    isLoad: true,
    async run({ server: { url } }) {
      await pipelineRequests({ url, connections: 100, requestsEach: 2400, holdMs: HOLD_MS });
      return [];
    },
  },
  {
    name: '120,000 requests pipelined after an event stream on one connection',
    safe: BOUNDED,
    isLoad: true,
    async run(target) {
      const { url } = target.server;
      const token = target.tokenOf('reader');
      const plan = { service: 'ply', requests: 120_000, sendMs: HOLD_MS };
      await pipelineBehindStream({ url, token, ...plan });
      return [];
    },
  },
  {
    name: 'ten unread batch lookups of an analysis of 512 kB',
    safe: BOUNDED,
    isLoad: true,
    prepare: storeAnalysis(512 * 1024),
    async run(target) {
      const { url } = target.server;
      const token = target.tokenOf('reader');
      const hash = wireAnalysis('large').sha256Hash;
      await leaveBatchesUnread({ url, token, hash, connections: 10, holdMs: HOLD_MS });
      return [];
    },
  },
  {
    name: '1,000 unread lookups of an analysis of a megabyte over 500 connections',
    safe: BOUNDED,
    isLoad: true,
    isLong: true,
    prepare: storeAnalysis(1000 * 1024),
    async run(target) {
      const { url } = target.server;
      const token = target.tokenOf('reader');
      const path = `/private/sample/${wireAnalysis('large').sha256Hash}`;
      const plan = { connections: 500, requestsEach: 2, holdMs: HOLD_MS };
      await leaveLookupsUnread({ url, token, path, ...plan });
      return [];
    },
  },
  importCase(
    'empty objects',
    Array.from({ length: 340_000 }, () => ({})),
    false,
  ),
  importCase('one string', 'x'.repeat(1_040_000), true),
  importCase(
    'numbers',
    Array.from({ length: 500_000 }, () => 1),
    true,
  ),
];
