import { randomUUID } from 'node:crypto';
import { sha256Of } from '../builders.ts';
import { onPostgres } from '../database.ts';
import type { TestInstallation, TestServer } from '../installation.ts';

interface Sent {
  readonly key: string;
  readonly body: string;
  /** The id in the response; `undefined` if none arrived. */
  id: string | undefined;
}

export interface CrashPlan {
  readonly creates: number;
  readonly kills: number;
  readonly connections: number;
}

export interface CrashResult {
  readonly acknowledged: number;
  readonly cutOff: number;
  readonly kills: number;
  /** Each entry describes a broken promise. */
  readonly broken: readonly string[];
}

/**
 * Creates reports while the server is killed with SIGKILL and restarted. Then retries every report
 * with its idempotency key, and compares the acknowledged reports with the stored ones.
 */
export async function crashDuringCreates(
  installation: TestInstallation,
  token: string,
  feed: string,
  plan: CrashPlan,
): Promise<CrashResult> {
  const sent: Sent[] = Array.from({ length: plan.creates }, (_, number) => ({
    key: randomUUID(),
    body: JSON.stringify({
      c2Address: `host${number % 50}.example:${1 + (number % 1000)}`,
      file256Hash: sha256Of(`file ${number % 100}`),
    }),
    id: undefined,
  }));
  const marks = killMarks(plan);
  let server = await installation.server();
  let position = 0;
  let kills = 0;
  for (const mark of marks) {
    const killed = Promise.withResolvers<void>();
    const next = () => (position < mark + plan.connections ? sent[position++] : undefined);
    const acknowledged = () => sent.filter(({ id }) => id !== undefined).length;
    const target = acknowledged() + Math.max(1, mark - position);
    const watch = () => {
      if (acknowledged() >= target) killed.resolve();
    };
    const driving = drive(server, token, feed, plan.connections, next, watch);
    await Promise.race([killed.promise, driving]);
    await server.end('SIGKILL');
    kills += 1;
    await driving;
    server = await installation.server();
  }
  await drive(server, token, feed, plan.connections, () => sent[position++]);
  const first = new Map(sent.map(({ key, id }) => [key, id]));
  const cutOff = sent.filter(({ id }) => id === undefined);
  let retried = 0;
  await drive(server, token, feed, plan.connections, () => sent[retried++]);
  await server.end('SIGTERM');
  const broken = sent
    .filter(
      ({ key, id }) => id === undefined || (first.get(key) !== undefined && first.get(key) !== id),
    )
    .map(({ key }) => `the retry of ${key} got no response, or another id than the first call`);
  broken.push(...(await inspect(installation, feed, sent)));
  return { acknowledged: plan.creates - cutOff.length, cutOff: cutOff.length, kills, broken };
}

/** The numbers of creates at which to kill, at random over the run. */
function killMarks({ creates, kills }: CrashPlan): number[] {
  const share = creates / (kills + 1);
  return Array.from({ length: kills }, (_, number) =>
    Math.floor(share * (number + 0.5 + Math.random() * 0.5)),
  );
}

/**
 * Sends requests one after another on each connection until `next` returns none, or the server does
 * not respond.
 */
async function drive(
  server: TestServer,
  token: string,
  feed: string,
  connections: number,
  next: () => Sent | undefined,
  answered: () => void = () => {},
): Promise<void> {
  const work = async () => {
    for (let call = next(); call !== undefined; call = next()) {
      const id = await create(server.url, token, feed, call).catch(() => undefined);
      if (id === undefined) return;
      call.id = id;
      answered();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}

async function create(
  url: string,
  token: string,
  feed: string,
  { key, body }: Sent,
): Promise<string> {
  const answer = await fetch(`${url}/feed/${feed}/api`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', 'idempotency-key': key },
    body,
  });
  const { id } = (await answer.json()) as { id?: string };
  if (answer.status !== 201 || id === undefined) throw new Error(`refused with ${answer.status}`);
  return id;
}

/** Compares the rows and sequences in the database with the reports that were sent. */
async function inspect(
  installation: TestInstallation,
  feed: string,
  sent: readonly Sent[],
): Promise<string[]> {
  const ofFeed = `where service_id = (select id from service where slug = '${feed}')`;
  const one = async (sql: string) =>
    Number(Object.values((await installation.read(sql))[0] ?? {})[0]);
  const stored = new Set(
    (await installation.read(`select id from report ${ofFeed}`)).map(({ id }) => id),
  );
  const broken: string[] = [];
  const lost = sent.filter(({ id }) => id !== undefined && !stored.has(id));
  if (lost.length > 0) broken.push(`${lost.length} acknowledged reports are lost`);
  if (stored.size !== sent.length) broken.push(`${stored.size} rows for ${sent.length} reports`);
  const [events, last] = [
    await one(`select count(*) from event ${ofFeed}`),
    await one(`select max(sequence) from event ${ofFeed}`),
  ];
  if (events !== last || events !== stored.size)
    broken.push(`${events} events up to sequence ${last} for ${stored.size} rows`);
  if ((await one(`select last_sequence from service where slug = '${feed}'`)) !== last)
    broken.push('the last sequence of the feed is wrong');
  if (!onPostgres && (await one('select count(*) from pragma_integrity_check')) !== 1)
    broken.push('the integrity check of the database fails');
  return broken;
}
