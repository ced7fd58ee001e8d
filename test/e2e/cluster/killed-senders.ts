import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../until.ts';
import { Cluster } from './cluster.ts';
import { Load } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';

export interface KilledSendersPlan {
  /** Where PostgreSQL's programs are. */
  readonly programs: string;
  readonly kills: number;
  readonly endpoints: number;
}

export interface KilledSendersResult {
  readonly delivered: number;
  /** Deliveries that arrived more than once, with the same id. */
  readonly repeated: number;
  /**
   * The longest time from a kill until something that the killed node had in hand arrived again.
   */
  readonly takeoverMs: number;
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const SETTINGS = {
  RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
  RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
};
/** So long an endpoint takes to answer: always something is under way when a node is killed. */
const ANSWER_MS = 60;
const BETWEEN_KILLS_MS = 1500;
const MAX_MS = 10_000;

/**
 * Nodes that send webhooks are killed, one after the other; what the store says was delivered has
 * arrived.
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
    const waiting = "select from delivery where state = 'waiting'";
    await until(
      async () => (await database.run(DATABASE, waiting)).length === 0,
      'everything is delivered',
    );
    const rows = await database.run(DATABASE, "select id from delivery where state = 'delivered'");
    const unseen = rows.filter(({ id }) => !endpoint.seen.has(String(id)));
    if (unseen.length > 0) broken.push(`${unseen.length} marked as delivered never arrived`);
    if (takeoverMs > MAX_MS) broken.push(`taken over after ${takeoverMs} ms`);
    const repeated = [...endpoint.seen.values()].filter((times) => times > 1).length;
    return { delivered: rows.length, repeated, takeoverMs, broken };
  } finally {
    await cluster.close();
    endpoint.close();
    await database.remove();
  }
}

/**
 * Kills a node in the middle of its attempts. Returns how long it took until the last of these
 * arrived again.
 */
async function killOne(cluster: Cluster, endpoint: Endpoint, turn: number): Promise<number> {
  const victim = cluster.nodes[turn % cluster.nodes.length];
  // Attempts that are held are in the hands of any node; the killed one's break off.
  endpoint.hold();
  await until(() => endpoint.held >= 2, 'something is under way');
  await victim?.kill();
  const killedAt = performance.now();
  const lost = await endpoint.release();
  await victim?.restart();
  await until(() => lost.every((id) => (endpoint.seen.get(id) ?? 0) > 0), 'it is taken over');
  return lost.length === 0 ? 0 : Math.round(endpoint.lastOf(lost) - killedAt);
}

/**
 * Answers late, and counts what it has answered. A request that breaks off before its answer does
 * not count.
 */
class Endpoint {
  /** How often each delivery was answered, by its id. */
  readonly seen = new Map<string, number>();
  readonly #at = new Map<string, number>();
  readonly #server: Server;
  #gate = Promise.withResolvers<void>();
  #heldIds = new Map<string, { isBroken: boolean }>();
  #isHolding = false;

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
      await Promise.all([this.#gate.promise, pause(ANSWER_MS)]);
      if (state.isBroken) return;
      // Counted before it is answered: what is marked as delivered must be here.
      this.seen.set(id, (this.seen.get(id) ?? 0) + 1);
      this.#at.set(id, performance.now());
      response.writeHead(204).end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get held(): number {
    return this.#heldIds.size;
  }

  hold(): void {
    this.#gate = Promise.withResolvers();
    this.#heldIds = new Map();
    this.#isHolding = true;
  }

  /** Lets go on what is still connected. Returns what had broken off by then. */
  async release(): Promise<readonly string[]> {
    // The end of connections of a process that is gone arrives with the next look at them.
    await pause(ANSWER_MS);
    this.#isHolding = false;
    this.#gate.resolve();
    const held = [...this.#heldIds];
    return held.flatMap(([id, { isBroken }]) => (isBroken ? [id] : []));
  }

  lastOf(ids: readonly string[]): number {
    return Math.max(...ids.map((id) => this.#at.get(id) ?? 0));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
