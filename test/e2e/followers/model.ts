import { setTimeout as pause } from 'node:timers/promises';
import type { TestInstallation } from '../../installation.ts';
import type { WireReport } from './feed-replica.ts';
import { Poller, type Reader, StreamReader } from './readers.ts';
import { Receiver } from './receiver.ts';
import { TestClient } from './test-client.ts';
import { type SeededRandom, seededRandom, Writer } from './writers.ts';

export interface FollowPlan {
  readonly seed: number;
  readonly writers: number;
  readonly writesEach: number;
  readonly kills: number;
}

export interface FollowResult {
  readonly changes: number;
  readonly reports: number;
  readonly interruptions: number;
  /** Each entry describes a broken promise. */
  readonly broken: readonly string[];
}

const SERVICES = ['ply', 'ngr', 'tun'];
/** Much longer than the lease of a killed server on a delivery. */
const SETTLED_MS = 240_000;

/**
 * Writers change feeds at random. Meanwhile readers of every kind follow the feeds; they are
 * interrupted at random, and the server is killed. At the end every reader must have received each
 * change once and in order, and its replica must equal the store.
 */
export async function followAtRandom(
  installation: TestInstallation,
  plan: FollowPlan,
): Promise<FollowResult> {
  const random = seededRandom(plan.seed);
  const scenario = await Scenario.open(installation);
  const stop = new AbortController();
  const running = scenario.readers.map((reader) => reader.run(stop.signal));
  const writers = Array.from(
    { length: plan.writers },
    (_, index) => new Writer(scenario.client, SERVICES, seededRandom(plan.seed + index + 1)),
  );
  const writing = Promise.all(writers.map((writer) => writer.run(plan.writesEach)));
  const interruptions = await disturb(scenario, { writing, plan, random });
  const result = await scenario.check();
  stop.abort();
  await Promise.all(running);
  await scenario.close();
  return { ...result, interruptions };
}

/** Interrupts readers and kills the server until the writers are done. */
async function disturb(
  scenario: Scenario,
  { writing, plan, random }: { writing: Promise<unknown>; plan: FollowPlan; random: SeededRandom },
): Promise<number> {
  let isWriting = true;
  const ended = writing.finally(() => {
    isWriting = false;
  });
  let interruptions = 0;
  for (let kills = 0; isWriting; interruptions += 1) {
    await pause(30 + random(60));
    scenario.readers[random(scenario.readers.length)]?.interrupt();
    if (kills >= plan.kills || interruptions % 10 !== 9) continue;
    kills += 1;
    await scenario.restart();
  }
  await ended;
  return interruptions;
}

class Scenario {
  readonly client: TestClient;
  readonly readers: readonly Reader[];
  readonly receivers: readonly Receiver[];
  readonly #installation: TestInstallation;
  #server: Awaited<ReturnType<TestInstallation['server']>>;

  private constructor(
    installation: TestInstallation,
    server: Awaited<ReturnType<TestInstallation['server']>>,
    client: TestClient,
    receivers: readonly Receiver[],
  ) {
    this.#installation = installation;
    this.#server = server;
    this.client = client;
    this.receivers = receivers;
    this.readers = [
      ...SERVICES.map((service) => new Poller(`changes of ${service}`, client, [service])),
      new Poller('changes of all', client, SERVICES),
      ...SERVICES.map((service) => new StreamReader(`stream of ${service}`, client, [service])),
      new StreamReader('stream of all', client, SERVICES),
    ];
  }

  static async open(installation: TestInstallation): Promise<Scenario> {
    const server = await start(installation);
    for (const slug of SERVICES) await installation.json('service', 'add', slug);
    const owned = SERVICES.flatMap((slug) => ['--service', slug]);
    const { token } = await installation.json('account', 'add', 'alice', '--researcher', ...owned);
    const client = new TestClient(token);
    client.url = server.url;
    const receivers = await Promise.all(SERVICES.map((service) => listen(client, service)));
    return new Scenario(installation, server, client, receivers);
  }

  async restart(): Promise<void> {
    await this.#server.end('SIGKILL');
    this.#server = await start(this.#installation);
    this.client.url = this.#server.url;
  }

  async check(): Promise<Omit<FollowResult, 'interruptions'>> {
    const heads = new Map<string, number>();
    for (const service of SERVICES)
      heads.set(
        service,
        Number((await this.client.get(`/feed/${service}/changes?limit=1`))['head']),
      );
    await this.#untilCaughtUp(heads);
    const stored = await this.#listAll('desc');
    const ascending = await this.#listAll('asc');
    const broken = [
      ...this.readers.flatMap(({ replica, services }) => [
        ...replica.broken,
        ...replica.differences(stored, services),
      ]),
      ...this.receivers.flatMap((receiver, index) =>
        checkReceiver(receiver, SERVICES[index] ?? '', heads),
      ),
      ...(isSameList(stored, ascending) ? [] : ['the list differs by order']),
    ];
    const changes = [...heads.values()].reduce((sum, head) => sum + head, 0);
    return { changes, reports: stored.size, broken };
  }

  async close(): Promise<void> {
    for (const receiver of this.receivers) receiver.close();
    await this.#server.end('SIGTERM');
  }

  async #untilCaughtUp(heads: ReadonlyMap<string, number>): Promise<void> {
    for (const receiver of this.receivers) receiver.failOneIn = 0;
    const deadline = performance.now() + SETTLED_MS;
    const isBehind = () =>
      this.readers.some(({ replica, services }) =>
        services.some((service) => replica.position(service) < (heads.get(service) ?? 0)),
      ) ||
      this.receivers.some(
        (receiver, index) => receiver.sequences.length < (heads.get(SERVICES[index] ?? '') ?? 0),
      );
    while (isBehind() && performance.now() < deadline) await pause(50);
  }

  /** Lists the reports of all feeds and statuses, page by page. */
  async #listAll(order: string): Promise<Map<string, WireReport>> {
    const reports = new Map<string, WireReport>();
    for (const service of SERVICES) {
      for (let cursor = ''; ; ) {
        const path = `/feed/${service}/reports?limit=13&order=${order}${cursor}`;
        const page = await this.client.get(path);
        for (const report of page['reports'] as WireReport[]) {
          if (reports.has(report.id)) throw new Error(`${report.id} was listed twice`);
          reports.set(report.id, report);
        }
        if (page['hasMore'] !== true) break;
        cursor = `&cursor=${page['nextCursor']}`;
      }
    }
    return reports;
  }
}

function start(installation: TestInstallation) {
  return installation.server({
    RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
    RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  });
}

async function listen(client: TestClient, service: string): Promise<Receiver> {
  const receiver = new Receiver(service);
  const url = await receiver.listen();
  const { status, json } = await client.send('POST', `/feed/${service}/webhooks`, { url });
  if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(json)}`);
  return receiver;
}

/** Webhooks may arrive out of order and more than once, but each must arrive. */
function checkReceiver(
  receiver: Receiver,
  service: string,
  heads: ReadonlyMap<string, number>,
): string[] {
  const received = new Set(receiver.sequences);
  const head = heads.get(service) ?? 0;
  const missed = Array.from({ length: head }, (_, index) => index + 1).filter(
    (sequence) => !received.has(sequence),
  );
  return [
    ...receiver.broken,
    ...(missed.length === 0 ? [] : [`webhook of ${service} missed ${missed.length} of ${head}`]),
  ];
}

function isSameList(
  one: ReadonlyMap<string, WireReport>,
  other: ReadonlyMap<string, WireReport>,
): boolean {
  return one.size === other.size && [...one.keys()].every((id) => other.has(id));
}
