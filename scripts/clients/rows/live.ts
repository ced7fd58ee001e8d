import assert from 'node:assert/strict';
import type { Client } from '../client.ts';
import { npmPackage, pythonPackage } from '../sources.ts';
import { FEED, type Trial } from '../trial.ts';

const COMPARED = 'the events of every report, in order';

/** The scripts read as many events as they are told. */
async function assertEvents(
  trial: Trial,
  read: (feed: string, count: string) => Promise<unknown>,
): Promise<void> {
  const ids = (await trial.reports(FEED))
    .toSorted((one, other) => one.sequence - other.sequence)
    .map(({ id }) => id);
  assert.ok(ids.length > 30);
  assert.deepEqual(await read(FEED, String(ids.length)), ids);
}

export const LIVE: readonly Client[] = [
  {
    name: 'sseclient-py',
    source: pythonPackage('sseclient-py'),
    command: 'SSEClient(requests.get("…/stream?since=0", stream=True)).events()',
    compared: COMPARED,
    run: (trial) => assertEvents(trial, (...args) => trial.python('stream-requests.py', ...args)),
  },
  {
    name: 'httpx-sse',
    source: pythonPackage('httpx-sse'),
    command: '`connect_sse(client, "GET", "…/stream?since=0").iter_sse()`, events with data',
    compared: COMPARED,
    run: (trial) => assertEvents(trial, (...args) => trial.python('stream-httpx.py', ...args)),
  },
  {
    name: 'eventsource',
    source: npmPackage('eventsource'),
    command: 'new EventSource("…/stream?since=0", { fetch })',
    compared: COMPARED,
    run: (trial) => assertEvents(trial, (...args) => trial.node('event-source.mjs', ...args)),
  },
  {
    name: 'eventsource-client',
    source: npmPackage('eventsource-client'),
    command: 'createEventSource({ url: "…/stream?since=0", headers })',
    compared: COMPARED,
    run: (trial) =>
      assertEvents(trial, (...args) => trial.node('event-source-client.mjs', ...args)),
  },
];
