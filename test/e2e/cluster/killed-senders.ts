import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../until.ts';
import { Cluster } from './cluster.ts';
import { Load } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';

export interface KilledSendersPlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  readonly kills: number;
  readonly endpoints: number;
}

export interface KilledSendersResult {
  readonly delivered: number;
  /** Deliveries that arrived more than once, with the same id. */
  readonly repeated: number;
  /** The longest time from a kill until a delivery of the killed node arrived again. */
  readonly takeoverMs: number;
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const SETTINGS = {
  RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
  RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
};
/** The response time of the endpoint, so that deliveries are in flight when a node is killed. */
const ANSWER_MS = 60;
const BETWEEN_KILLS_MS = 1500;
const MAX_MS = 10_000;

/**
 * Kills one node after another while they send webhooks. Every delivery that is marked as delivered
 * must have arrived.
 */
export async function killSenders(plan: KilledSendersPlan): Promise<KilledSendersResult> {
  const database = await OwnPostgres.create(plan.programs);
  const cluster = new Cluster(database.urlOf(DATABASE));
  const endpoint = new Endpoint();
  try {
    await cluster.start({ nodes: 3, workers: 0 }, [SETTINGS, SETTINGS, SETTINGS]);
    const admin = cluster.client(0);
    await admin.addService({ slug: 'ply' });
    const account = { name: 'alice', roles: ['researcher' as const], services: ['ply'] };
    const { token } = await admin.addAccount(account);
    const url = await endpoint.listen();
    for (let count = 0; count < plan.endpoints; count += 1)
      await cluster.client(0, token).addWebhook('ply', { url });
    const load = new Load(cluster, token, { creators: 3, lookupCallers: 0, uploadEveryMs: 60_000 });
    const broken: string[] = [];
    let takeoverMs = 0;
    for (let kill = 0; kill < plan.kills; kill += 1) {
      await pause(BETWEEN_KILLS_MS);
      takeoverMs = Math.max(takeoverMs, await killOne(cluster, endpoint, kill));
    }
    await load.stop();
    // A fast machine has created thousands more than the endpoint takes at its rate.
    endpoint.answerAtOnce();
    const pending = "select from delivery where state = 'waiting'";
    await until(
      async () => (await database.run(DATABASE, pending)).length === 0,
      'all deliveries are done',
    );
    const rows = await database.run(DATABASE, "select id from delivery where state = 'delivered'");
    const unseen = rows.filter(({ id }) => !endpoint.seen.has(String(id)));
    if (unseen.length > 0)
      broken.push(`${unseen.length} deliveries are marked as delivered and did not arrive`);
    if (takeoverMs > MAX_MS) broken.push(`deliveries were taken over after ${takeoverMs} ms`);
    const repeated = [...endpoint.seen.values()].filter((times) => times > 1).length;
    return { delivered: rows.length, repeated, takeoverMs, broken };
  } finally {
    await cluster.close();
    endpoint.close();
    await database.remove();
  }
}

/**
 * Kills a node during its delivery attempts. Returns the time until the last of these deliveries
 * arrived from another node.
 */
async function killOne(cluster: Cluster, endpoint: Endpoint, round: number): Promise<number> {
  const victim = cluster.nodes[round % cluster.nodes.length];
  // The held attempts belong to any node; those of the killed one are disconnected.
  endpoint.hold();
  await until(() => endpoint.held >= 2, 'two deliveries are in flight');
  await victim?.kill();
  const killedAt = performance.now();
  const lost = await endpoint.release();
  await victim?.restart();
  await until(
    () => lost.every((id) => (endpoint.seen.get(id) ?? 0) > 0),
    'the lost deliveries arrive again',
  );
  return lost.length === 0 ? 0 : Math.round(endpoint.lastArrivalOf(lost) - killedAt);
}

/**
 * A webhook endpoint that responds late and counts its responses. A request that is disconnected
 * before the response does not count.
 */
class Endpoint {
  /** The number of responses by id of the delivery. */
  readonly seen = new Map<string, number>();
  readonly #arrivedAt = new Map<string, number>();
  readonly #server: Server;
  #gate = Promise.withResolvers<void>();
  #heldIds = new Map<string, { isBroken: boolean }>();
  #isHolding = false;
  #answerMs = ANSWER_MS;

  constructor() {
    this.#gate.resolve();
    this.#server = createServer(async (request, response) => {
      const id = String(request.headers['webhook-id']);
      const state = { isBroken: false };
      request.resume();
      response.on('close', () => {
        state.isBroken ||= !response.writableFinished;
      });
      if (this.#isHolding) this.#heldIds.set(id, state);
      await Promise.all([this.#gate.promise, pause(this.#answerMs)]);
      if (state.isBroken) return;
      // Counted before the response, so that every delivery marked as delivered is counted.
      this.seen.set(id, (this.seen.get(id) ?? 0) + 1);
      this.#arrivedAt.set(id, performance.now());
      response.writeHead(204).end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  answerAtOnce(): void {
    this.#answerMs = 0;
  }

  get held(): number {
    return this.#heldIds.size;
  }

  hold(): void {
    this.#gate = Promise.withResolvers();
    this.#heldIds = new Map();
    this.#isHolding = true;
  }

  /** Responds to the held requests. Returns the ids of those that were disconnected. */
  async release(): Promise<readonly string[]> {
    // Lets the close events of the killed process arrive.
    await pause(ANSWER_MS);
    this.#isHolding = false;
    this.#gate.resolve();
    const held = [...this.#heldIds];
    return held.flatMap(([id, { isBroken }]) => (isBroken ? [id] : []));
  }

  lastArrivalOf(ids: readonly string[]): number {
    return Math.max(...ids.map((id) => this.#arrivedAt.get(id) ?? 0));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
