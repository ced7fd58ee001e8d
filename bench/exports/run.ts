import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { EXPORTERS } from '../../src/exports/index.ts';
import { get } from '../calls.ts';
import { BENCH_TOKEN, sampleSha256 } from '../fill.ts';
import { type RunningServer, startRapsheet } from '../processes.ts';
import { spread } from '../requests.ts';
import { storeOf } from '../stores.ts';
import { median, Verdicts } from '../verdicts.ts';

/**
 * Measures each format of exports on all reports of a store: rows a second, the resident memory of
 * the server above idle, lookups beside a running export, and the processor time of a 304. The time
 * is also compared with reading the stored reports with plain SQLite, because the ratio depends
 * less on the machine. `--quick` uses a smaller store; `--only` selects formats. The client of an
 * export is a process of its own: in this one it would delay the lookups that are measured.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const quick = values.quick === true;
const REPORTS = quick ? 50_000 : 1_000_000;
const SAMPLE_MS = 20;
const LOOKUPS = quick ? 500 : 2000;
const CONDITIONAL = 500;
/** The target of `ndjson`; the other formats are only reported. */
const ROWS_PER_SECOND = 200_000;
const MEGABYTES = 100;

const verdicts = new Verdicts();
const formats = EXPORTERS.map(({ format }) => format).filter(
  (format) => values.only === undefined || values.only.split(',').includes(format),
);
const folder = storeOf(REPORTS);

/** The milliseconds of reading all reports and nothing else. */
function readPlainly(): number {
  const db = new DatabaseSync(join(folder, 'rapsheet.db'), { readOnly: true });
  const startedAt = performance.now();
  let rows = 0;
  for (const _ of db.prepare('select body from report order by number').iterate()) rows += 1;
  db.close();
  if (rows !== REPORTS) throw new Error(`the store has ${rows} reports`);
  return performance.now() - startedAt;
}

interface Exported {
  readonly etag: string;
  readonly bytes: number;
  readonly ms: number;
  /** The largest resident memory above that at the start. */
  readonly megabytes: number;
}

function fetchExport({ port }: RunningServer, format: string, headers = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/feed/all/export/${format}`, {
    headers: { authorization: BENCH_TOKEN, 'accept-encoding': 'identity', ...headers },
  });
}

const CONSUMER = fileURLToPath(new URL('consumer.ts', import.meta.url));

async function measure(
  server: RunningServer,
  format: string,
  { idleMb = 0, onBegin = () => undefined }: { idleMb?: number; onBegin?: () => void } = {},
): Promise<Exported> {
  let peakMb = 0;
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, server.residentMb());
  }, SAMPLE_MS);
  const path = `/feed/all/export/${format}`;
  const running = promisify(execFile)(process.execPath, [CONSUMER, String(server.port), path]);
  running.child.stderr?.once('data', onBegin);
  const { stdout } = await running;
  clearInterval(sampler);
  const megabytes = Math.max(peakMb, server.residentMb()) - idleMb;
  return { ...JSON.parse(stdout), megabytes };
}

/** Each on a server of its own, so that none uses memory of another. */
async function measureFormat(format: string): Promise<void> {
  const plainMs = readPlainly();
  const server = await startRapsheet(folder, { unpinned: true });
  try {
    await get(server, '/api/services');
    const { bytes, ms, megabytes } = await measure(server, format, {
      idleMb: server.residentMb(),
    });
    const rate = (REPORTS * 1000) / ms;
    console.log(
      `${format}: ${Math.round(rate)} rows a second, ${Math.round(bytes / 1e6)} MB, ${(ms / plainMs).toFixed(1)} times plain reads`,
    );
    if (format === 'ndjson') verdicts.add('ndjson: rows a second', rate, ROWS_PER_SECOND, 'more');
    verdicts.add(`${format}: MB above idle`, megabytes, MEGABYTES, 'less');
  } finally {
    await server.stop();
  }
}

/** The 99th percentile of the durations of lookups, in milliseconds. */
async function lookupP99(server: RunningServer, isOver: () => boolean): Promise<number> {
  const durations: number[] = [];
  do {
    const hash = sampleSha256(spread(durations.length, REPORTS));
    const startedAt = performance.now();
    await get(server, `/private/sample/${hash}`);
    durations.push(performance.now() - startedAt);
  } while (!isOver());
  return durations.sort((one, other) => one - other)[Math.floor(durations.length * 0.99)] ?? 0;
}

async function measureBeside(): Promise<void> {
  const server = await startRapsheet(folder, { unpinned: true });
  const forAWhile = () => {
    let calls = 0;
    return () => ++calls >= LOOKUPS;
  };
  try {
    await lookupP99(server, forAWhile());
    const ratios: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const alone = await lookupP99(server, forAWhile());
      const begun = Promise.withResolvers<void>();
      let isOver = false;
      // Another filter each time: otherwise the export would not be built again.
      const format = `ndjson?min_confidence=${round + 1}`;
      const running = measure(server, format, { onBegin: begun.resolve }).finally(() => {
        isOver = true;
        begun.resolve();
      });
      await begun.promise;
      const beside = await lookupP99(server, () => isOver);
      await running;
      console.log(`lookups: p99 alone ${alone.toFixed(2)} ms, beside ${beside.toFixed(2)} ms`);
      ratios.push(beside / alone);
    }
    verdicts.add('p99 of lookups beside an export to alone', median(ratios), 2, 'less');
    await measureUnchanged(server);
  } finally {
    await server.stop();
  }
}

async function measureUnchanged(server: RunningServer): Promise<void> {
  const { etag } = await measure(server, 'ndjson');
  const ask = async () => {
    for (let call = 0; call < CONDITIONAL; call += 1) {
      const { status } = await fetchExport(server, 'ndjson', { 'if-none-match': etag });
      if (status !== 304) throw new Error(`an unchanged export was answered with ${status}`);
    }
  };
  await ask();
  const before = server.cpuNanos();
  await ask();
  const ms = (server.cpuNanos() - before) / CONDITIONAL / 1e6;
  verdicts.add('processor time of a 304 in ms', ms, 1, 'less');
}

console.log(`node ${process.version}, ${REPORTS} reports`);
for (const format of formats) await measureFormat(format);
await measureBeside();
console.log(`\n${verdicts}`);
