import { setTimeout as pause } from 'node:timers/promises';
import type { TestInstallation } from '../../installation.ts';
import type { WireReport } from './picture.ts';
import { Poller, type Reader, StreamReader } from './readers.ts';
import { Receiver } from './receiver.ts';
import { Site } from './site.ts';
import { type Chance, chanceOf, Writer } from './writers.ts';

export interface FollowPlan {
  readonly seed: number;
  readonly writers: number;
  readonly actsOfEach: number;
  readonly kills: number;
}

export interface FollowResult {
  readonly changes: number;
  readonly reports: number;
  readonly interruptions: number;
  /** Each one a broken promise. */
  readonly broken: readonly string[];
}

const SERVICES = ['ply', 'ngr', 'tun'];
/** Much longer than the lease of a delivery that a killed server had. */
const SETTLED_AFTER_MS = 240_000;

/**
 * Writers change feeds at random while readers follow them in every way there is, each broken off
 * and resumed at random, the server killed too. In the end every reader must know exactly what the
 * store holds, and must have been told of every change, once, in order.
 */
export async function followAtRandom(
  installation: TestInstallation,
  plan: FollowPlan,
): Promise<FollowResult> {
  const chance = chanceOf(plan.seed);
  const stage = await Stage.open(installation);
  const stop = new AbortController();
  const running = stage.readers.map((reader) => reader.run(stop.signal));
  const writers = Array.from(
    { length: plan.writers },
    (_, at) => new Writer(stage.site, SERVICES, chanceOf(plan.seed + at + 1)),
  );
  const writing = Promise.all(writers.map((writer) => writer.run(plan.actsOfEach)));
  const interruptions = await disturb(stage, { writing, plan, chance });
  const result = await stage.judge();
  stop.abort();
  await Promise.all(running);
  await stage.close();
  return { ...result, interruptions };
}

/** Breaks readers off now and then, and kills the server, until the writers are done. */
async function disturb(
  stage: Stage,
  { writing, plan, chance }: { writing: Promise<unknown>; plan: FollowPlan; chance: Chance },
): Promise<number> {
  let isWriting = true;
  const ended = writing.finally(() => {
    isWriting = false;
  });
  let interruptions = 0;
  for (let kills = 0; isWriting; interruptions += 1) {
    await pause(30 + chance(60));
    stage.readers[chance(stage.readers.length)]?.interrupt();
    if (kills >= plan.kills || interruptions % 10 !== 9) continue;
    kills += 1;
    await stage.restart();
  }
  await ended;
  return interruptions;
}

class Stage {
  readonly site: Site;
  readonly readers: readonly Reader[];
  readonly receivers: readonly Receiver[];
  readonly #installation: TestInstallation;
  #server: Awaited<ReturnType<TestInstallation['server']>>;

  private constructor(
    installation: TestInstallation,
    server: Awaited<ReturnType<TestInstallation['server']>>,
    site: Site,
    receivers: readonly Receiver[],
  ) {
    this.#installation = installation;
    this.#server = server;
    this.site = site;
    this.receivers = receivers;
    this.readers = [
      ...SERVICES.map((service) => new Poller(`changes of ${service}`, site, [service])),
      new Poller('changes of all', site, SERVICES),
      ...SERVICES.map((service) => new StreamReader(`stream of ${service}`, site, [service])),
      new StreamReader('stream of all', site, SERVICES),
    ];
  }

  static async open(installation: TestInstallation): Promise<Stage> {
    const server = await start(installation);
    for (const slug of SERVICES) await installation.json('service', 'add', slug);
    const owned = SERVICES.flatMap((slug) => ['--service', slug]);
    const { token } = await installation.json('account', 'add', 'alice', '--researcher', ...owned);
    const site = new Site(token);
    site.url = server.url;
    const receivers = await Promise.all(SERVICES.map((service) => listen(site, service)));
    return new Stage(installation, server, site, receivers);
  }

  async restart(): Promise<void> {
    await this.#server.end('SIGKILL');
    this.#server = await start(this.#installation);
    this.site.url = this.#server.url;
  }

  async judge(): Promise<Omit<FollowResult, 'interruptions'>> {
    const heads = new Map<string, number>();
    for (const service of SERVICES)
      heads.set(service, Number((await this.site.get(`/feed/${service}/changes?limit=1`))['head']));
    await this.#untilCaughtUp(heads);
    const truth = await this.#listAll('desc');
    const ascending = await this.#listAll('asc');
    const broken = [
      ...this.readers.flatMap(({ picture, services }) => [
        ...picture.broken,
        ...picture.differences(truth, services),
      ]),
      ...this.receivers.flatMap((receiver, at) =>
        judgeReceiver(receiver, SERVICES[at] ?? '', heads),
      ),
      ...(isSameList(truth, ascending) ? [] : ['listing depends on its order']),
    ];
    const changes = [...heads.values()].reduce((sum, head) => sum + head, 0);
    return { changes, reports: truth.size, broken };
  }

  async close(): Promise<void> {
    for (const receiver of this.receivers) receiver.close();
    await this.#server.end('SIGTERM');
  }

  async #untilCaughtUp(heads: ReadonlyMap<string, number>): Promise<void> {
    for (const receiver of this.receivers) receiver.failOneIn = 0;
    const until = performance.now() + SETTLED_AFTER_MS;
    const isBehind = () =>
      this.readers.some(({ picture, services }) =>
        services.some((service) => picture.position(service) < (heads.get(service) ?? 0)),
      ) ||
      this.receivers.some(
        (receiver, at) => receiver.sequences.length < (heads.get(SERVICES[at] ?? '') ?? 0),
      );
    while (isBehind() && performance.now() < until) await pause(50);
  }

  /** Every report, page by page, whatever its status. */
  async #listAll(order: string): Promise<Map<string, WireReport>> {
    const reports = new Map<string, WireReport>();
    for (const service of SERVICES) {
      for (let cursor = ''; ; ) {
        const path = `/feed/${service}/reports?limit=13&order=${order}${cursor}`;
        const page = await this.site.get(path);
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

async function listen(site: Site, service: string): Promise<Receiver> {
  const receiver = new Receiver(service);
  const url = await receiver.listen();
  const { status, json } = await site.send('POST', `/feed/${service}/webhooks`, { url });
  if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(json)}`);
  return receiver;
}

/** A receiver may be told out of order and more than once; but of everything. */
function judgeReceiver(
  receiver: Receiver,
  service: string,
  heads: ReadonlyMap<string, number>,
): string[] {
  const told = new Set(receiver.sequences);
  const head = heads.get(service) ?? 0;
  const missed = Array.from({ length: head }, (_, at) => at + 1).filter((one) => !told.has(one));
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
