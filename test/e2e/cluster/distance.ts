import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256Of } from '../../builders.ts';
import { SlowProxy } from '../faults/slow-proxy.ts';
import { Cluster } from './cluster.ts';
import { OwnPostgres } from './own-postgres.ts';
import { sendRequest } from './send-request.ts';

export interface DistancePlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  /** The round trip between each node and PostgreSQL. */
  readonly roundTripMs: number;
  /** The rate of all nodes together. */
  readonly createsPerSecond: number;
  readonly forMs: number;
  /** The limit of the 99th percentile of every node. */
  readonly maxP99Ms: number;
}

interface NodeLatency {
  readonly created: number;
  /** Responses with 503, each followed by a retry. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface DistanceResult {
  readonly nodes: readonly NodeLatency[];
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const NODES = 3;
const RETRY_MS = 20;
/** A create that takes longer has starved. */
const STARVED_MS = 60_000;
/**
 * Not measured: the nodes notice the distance. After a sudden change, limits follow within seconds.
 */
const SETTLE_MS = 8000;
/** The first statements of each connection are prepared before the measurement. */
const WARM_UP_CREATES = 60;
/** Half of the reports repeat a C2 of this many. */
const REPEATED_C2S = 40;

/** Three nodes far from PostgreSQL create reports in one feed, at a steady rate. */
export async function createAtDistance(plan: DistancePlan): Promise<DistanceResult> {
  const database = await OwnPostgres.create(plan.programs);
  const proxy = new SlowProxy(database.port);
  const port = await proxy.listen();
  const cluster = new Cluster(database.urlOf(DATABASE, port));
  try {
    await cluster.start({ nodes: NODES, workers: 0 });
    const admin = cluster.client(0);
    await admin.addService({ slug: 'ply' });
    const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
    await Promise.all(
      cluster.urls.map(async (url) => {
        for (let count = 0; count < WARM_UP_CREATES / NODES; count += 1)
          await Promise.all([create(url, token), create(url, token)]);
      }),
    );
    const oneWayMs = plan.roundTripMs / 2;
    proxy.slowness = { minMs: oneWayMs, maxMs: oneWayMs, stallShare: 0, stallMs: 0 };
    const sent = await Promise.all(cluster.urls.map((url) => createSteadily(url, token, plan)));
    proxy.slowness = undefined;
    const nodes = sent.map((ofNode) => latencyOf(ofNode.filter(({ isMeasured }) => isMeasured)));
    const broken = [
      ...nodes.flatMap((node, index) => flawsOf(node, index, plan)),
      ...(await compareFeed(database, sent.flat())),
    ];
    return { nodes, broken };
  } finally {
    await cluster.close();
    await proxy.close();
    await database.remove();
  }
}

interface Sent {
  readonly isMeasured: boolean;
  readonly id: string | undefined;
  readonly refused: number;
  readonly ms: number;
}

/** Does not wait for the responses: callers are independent of each other. */
async function createSteadily(
  url: string,
  token: string,
  { createsPerSecond, forMs }: DistancePlan,
): Promise<readonly Sent[]> {
  const everyMs = (1000 * NODES) / createsPerSecond;
  const startedAt = performance.now();
  const running: Promise<Sent>[] = [];
  for (let dueMs = 0; dueMs < SETTLE_MS + forMs; dueMs += everyMs) {
    await pause(Math.max(0, startedAt + dueMs - performance.now()));
    running.push(create(url, token, dueMs >= SETTLE_MS));
  }
  return await Promise.all(running);
}

let created = 0;

/** Retries with the same idempotency key until the report is acknowledged. */
async function create(url: string, token: string, isMeasured = false): Promise<Sent> {
  const number = created++;
  const c2 = number % 2 === 0 ? number % REPEATED_C2S : number;
  const call = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({
      c2Address: `host${c2}.example:443`,
      file256Hash: sha256Of(`file ${number}`),
      tags: ['mirai', `tag${number % 50}`],
    }),
  };
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  for (let refused = 0; ; refused += 1) {
    const answer = await sendRequest(`${url}/feed/ply/api`, token, call);
    if (answer?.status === 201)
      return { isMeasured, id: String(answer.json['id']), refused, ms: elapsedMs() };
    if (elapsedMs() > STARVED_MS) return { isMeasured, id: undefined, refused, ms: elapsedMs() };
    await pause(RETRY_MS);
  }
}

function latencyOf(sent: readonly Sent[]): NodeLatency {
  const ms = sent.map((one) => one.ms).sort((one, other) => one - other);
  const percentile = (share: number) => Math.round(ms[Math.floor(share * (ms.length - 1))] ?? 0);
  return {
    created: sent.filter(({ id }) => id !== undefined).length,
    refused: sent.reduce((sum, { refused }) => sum + refused, 0),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

function flawsOf({ p99Ms }: NodeLatency, index: number, { maxP99Ms }: DistancePlan): string[] {
  return p99Ms <= maxP99Ms
    ? []
    : [`node ${index + 1} had a 99th percentile of ${p99Ms} ms, more than ${maxP99Ms} ms`];
}

/** Every acknowledged report exists once, and the sequence of the feed has no gap. */
async function compareFeed(database: OwnPostgres, sent: readonly Sent[]): Promise<string[]> {
  const rows = await database.run(DATABASE, 'select id from report');
  const stored = new Set(rows.map(({ id }) => id));
  const [feed] = await database.run(
    DATABASE,
    `select count(*)::int as events, max(event.sequence)::int as last, max(last_sequence)::int as stored,
      (select count(*)::int from event where type = 'created') as created
      from event join service on service.id = event.service_id`,
  );
  const ids = sent.map(({ id }) => id);
  const broken: string[] = [];
  if (ids.some((id) => id === undefined)) broken.push('reports were never acknowledged');
  const lost = ids.filter((id) => id !== undefined && !stored.has(id)).length;
  if (lost > 0) broken.push(`${lost} acknowledged reports are lost`);
  if (new Set(ids).size !== ids.length) broken.push('two reports have the same id');
  const expected = ids.length + 2 * WARM_UP_CREATES;
  if (stored.size !== expected) broken.push(`${stored.size} rows for ${expected} creates`);
  if (feed?.['events'] !== feed?.['last'] || feed?.['last'] !== feed?.['stored'])
    broken.push(`the feed has a gap: ${JSON.stringify(feed)}`);
  if (feed?.['created'] !== stored.size) broken.push(`events of creates: ${feed?.['created']}`);
  return broken;
}
