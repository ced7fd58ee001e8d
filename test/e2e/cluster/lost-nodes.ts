import { sha256Of } from '../../builders.ts';
import { LossyProxy } from '../../lossy-proxy.ts';
import { until } from '../../until.ts';
import { Cluster } from './cluster.ts';
import { OwnPostgres } from './own-postgres.ts';
import { sendRequest } from './send-request.ts';

/**
 * A node is frozen, or disconnected from the database, while it locks the row of a feed or of an
 * account.
 */
export type Loss = 'frozen' | 'cut off';
export type Row = 'feed' | 'account';

export interface LostNodePlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  readonly loss: Loss;
  readonly row: Row;
}

/** The responses of the other nodes. */
export interface LossResult {
  readonly answered: number;
  readonly refused: number;
  /** From the loss to the last refusal. */
  readonly refusedForMs: number;
  /** From the loss to the first successful response to a later call. */
  readonly firstAnswerMs: number;
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const CALLERS_PER_NODE = 4;
/** The maximum time to the first successful response. */
const MAX_MS = 6000;
const WATCHED_MS = 8000;

export async function loseNode({ programs, loss, row }: LostNodePlan): Promise<LossResult> {
  const database = await OwnPostgres.create(programs);
  const proxy = new LossyProxy(database.port);
  const cluster = new Cluster(database.urlOf(DATABASE));
  try {
    const lossy = { RAPSHEET_DATABASE_URL: database.urlOf(DATABASE, await proxy.listen()) };
    await cluster.start({ nodes: 3, workers: 0 }, [lossy]);
    const admin = cluster.client(1);
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 1_000_000, period: 'none' as const };
    const roles = ['researcher'] as const;
    const { token, account } = await admin.addAccount({ name: 'alice', roles: [...roles], quota });
    const other = await admin.addAccount({ name: 'bob', roles: [...roles], quota });
    const [lost, ...others] = cluster.nodes;
    if (lost === undefined) throw new Error('no node was started');
    const urls = others.map(({ url }) => url);
    const call = (url: string) =>
      row === 'feed' ? create(url, token, 'other.example') : lookUp(url, token);
    for (const { url } of cluster.nodes) await call(url);
    const busy = keepBusy(lost.url, other.token);
    const trapped = proxy.trap(row === 'feed' ? 'lost.example' : account.id, 'silence-all');
    const lostCall =
      row === 'feed' ? create(lost.url, token, 'lost.example') : lookUp(lost.url, token);
    await trapped;
    if (loss === 'frozen') lost.signal('SIGSTOP');
    const result = await watch(urls, call);
    if (loss === 'frozen') lost.signal('SIGCONT');
    await Promise.all([lostCall, busy.stop()]);
    await until(async () => (await call(lost.url)) === 'answered', 'the lost node serves again');
    return result;
  } finally {
    await cluster.close();
    await proxy.close();
    await database.remove();
  }
}

type Outcome = 'answered' | 'refused';

async function create(url: string, token: string, host: string): Promise<Outcome> {
  const body = { c2Address: `${host}:443`, file256Hash: sha256Of(host) };
  const answer = await sendRequest(`${url}/feed/ply/api`, token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer?.status === 201 ? 'answered' : 'refused';
}

const BULK_LINES = 200;

async function createMany(url: string, token: string): Promise<void> {
  const line = JSON.stringify({ c2Address: 'bulk.example:443', file256Hash: sha256Of('bulk') });
  const call = {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/x-ndjson' },
    body: `${line}\n`.repeat(BULK_LINES),
  };
  await fetch(`${url}/feed/ply/reports`, call)
    .then((answer) => answer.text())
    .catch(() => undefined);
}

/** Keeps several transactions of the node in flight that wait for each other's row locks. */
function keepBusy(url: string, token: string) {
  let isStopped = false;
  const repeat = async (call: () => Promise<unknown>) => {
    while (!isStopped) await call();
  };
  const callers = [
    repeat(() => createMany(url, token)),
    repeat(() => createMany(url, token)),
    repeat(() => create(url, token, 'busy.example')),
    repeat(() => lookUp(url, token)),
  ];
  const stop = async () => {
    isStopped = true;
    await Promise.all(callers);
  };
  return { stop };
}

async function lookUp(url: string, token: string): Promise<Outcome> {
  const answer = await sendRequest(`${url}/private/sample/${'0'.repeat(64)}`, token);
  return answer?.status === 404 ? 'answered' : 'refused';
}

/** Sends calls to the nodes for a while and records the outcomes. */
async function watch(
  urls: readonly string[],
  call: (url: string) => Promise<Outcome>,
): Promise<LossResult> {
  const lostAt = performance.now();
  const result = {
    answered: 0,
    refused: 0,
    refusedForMs: 0,
    firstAnswerMs: Number.POSITIVE_INFINITY,
  };
  const caller = async (url: string) => {
    while (performance.now() - lostAt < WATCHED_MS || result.answered === 0) {
      const outcome = await call(url);
      const afterMs = Math.round(performance.now() - lostAt);
      result[outcome] += 1;
      if (outcome === 'refused') result.refusedForMs = Math.max(result.refusedForMs, afterMs);
      else result.firstAnswerMs = Math.min(result.firstAnswerMs, afterMs);
    }
  };
  const callers = urls.flatMap((url) =>
    Array.from({ length: CALLERS_PER_NODE }, () => caller(url)),
  );
  await Promise.all(callers);
  const broken: string[] = [];
  if (result.refused > 0) broken.push(`${result.refused} calls were refused`);
  if (result.firstAnswerMs > MAX_MS)
    broken.push(`no call succeeded for ${result.firstAnswerMs} ms`);
  return { ...result, broken };
}
