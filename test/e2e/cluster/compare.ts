import { eventually } from '../../until.ts';
import type { Told } from './load.ts';

/** Looks into the store itself. */
export type Look = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Much longer than the lease of a worker that was killed, and than any pause after an outage. */
const SETTLED_MS = 180_000;

/** What callers were told, compared with what is there. Each sentence is a broken promise. */
export async function compare(look: Look, told: Told, accountId: string): Promise<string[]> {
  const one = async (sql: string) => Number(Object.values((await look(sql))[0] ?? {})[0]);
  const rows = await look('select id from report');
  const stored = new Set(rows.map(({ id }) => id));
  const broken: string[] = [];
  const lost = told.sent.filter(({ id }) => !stored.has(id));
  if (lost.length > 0) broken.push(`${lost.length} acknowledged reports are lost`);
  const ids = new Set(told.sent.map(({ id }) => id));
  if (ids.size !== told.sent.length) broken.push('two reports were given one id');
  if (stored.size !== ids.size) broken.push(`${stored.size} rows for ${ids.size} reports`);
  const [events, last] = [
    await one('select count(*) from event'),
    await one('select max(sequence) from event'),
  ];
  if (events !== last || events !== stored.size)
    broken.push(`${events} events up to number ${last} for ${stored.size} rows`);
  if ((await one('select last_sequence from service')) !== last)
    broken.push('the feed has lost count');
  const used = await one(`select quota_used from account where id = '${accountId}'`);
  if (used < told.served || used > told.served + told.cutOff)
    broken.push(`${used} units for ${told.served} lookups served and ${told.cutOff} cut off`);
  return broken;
}

interface SampleAsker {
  sampleStatus(sha256: string): Promise<{ readonly status: string }>;
}

/** Samples that were taken in, and did not end done. */
export async function unsettled(asker: SampleAsker, { samples }: Told): Promise<string[]> {
  const broken: string[] = [];
  const giveUpAt = performance.now() + SETTLED_MS;
  for (const sha256 of samples) {
    const { status } = await eventually(
      () => asker.sampleStatus(sha256),
      (state) => state.status === 'done' || state.status === 'failed',
      Math.max(0, giveUpAt - performance.now()),
    );
    if (status !== 'done') broken.push(`sample ${sha256} was taken in, and is ${status}`);
  }
  return broken;
}
