import { eventually } from '../../until.ts';
import type { LoadResults } from './load.ts';

/** Queries the database directly. */
export type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Much longer than the lease of a killed worker, and than any backoff after an outage. */
const SETTLED_MS = 180_000;

/** Compares the responses with the database. Returns a sentence for each broken promise. */
export async function compare(
  query: Query,
  results: LoadResults,
  accountId: string,
): Promise<string[]> {
  const one = async (sql: string) => Number(Object.values((await query(sql))[0] ?? {})[0]);
  const rows = await query('select id from report');
  const stored = new Set(rows.map(({ id }) => id));
  const broken: string[] = [];
  const lost = results.sent.filter(({ id }) => !stored.has(id));
  if (lost.length > 0) broken.push(`${lost.length} acknowledged reports are lost`);
  const ids = new Set(results.sent.map(({ id }) => id));
  if (ids.size !== results.sent.length) broken.push('two reports have the same id');
  if (stored.size !== ids.size) broken.push(`${stored.size} rows for ${ids.size} reports`);
  const [events, last] = [
    await one('select count(*) from event'),
    await one('select max(sequence) from event'),
  ];
  if (events !== last) broken.push(`${events} events up to sequence ${last}`);
  // Other events renew a report that is seen again after a jump of the clock.
  const created = await one("select count(*) from event where type = 'created'");
  if (created !== stored.size) broken.push(`${created} creations for ${stored.size} rows`);
  const changed = await one("select count(*) from report where status <> 'open'");
  if (changed > 0) broken.push(`${changed} reports changed their status`);
  if ((await one('select max(last_sequence) from service')) !== last)
    broken.push('the last sequence of the feed is wrong');
  const used = await one(`select quota_used from account where id = '${accountId}'`);
  if (used < results.served || used > results.served + results.cutOff)
    broken.push(`${used} units for ${results.served} lookups served and ${results.cutOff} cut off`);
  return broken;
}

interface SampleClient {
  sampleStatus(sha256: string): Promise<{ readonly status: string }>;
}

/** Returns a sentence for each accepted sample that does not reach the status `done`. */
export async function unsettled(client: SampleClient, { samples }: LoadResults): Promise<string[]> {
  const broken: string[] = [];
  const deadline = performance.now() + SETTLED_MS;
  for (const sha256 of samples) {
    const { status } = await eventually(
      () => client.sampleStatus(sha256),
      (state) => state.status === 'done' || state.status === 'failed',
      Math.max(0, deadline - performance.now()),
    );
    if (status !== 'done')
      broken.push(`sample ${sha256} was accepted, but its status is ${status}`);
  }
  return broken;
}
