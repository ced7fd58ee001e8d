import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { get } from '../calls.ts';
import { type RunningServer, startRapsheet } from '../processes.ts';
import { copyOf, storeOf } from '../stores.ts';
import { median, Verdicts } from '../verdicts.ts';

/**
 * Walks a collection with TAXII from its first to its last page: pages at the end must cost as much
 * as those at the start. Then compares with medallion, a TAXII server in Python, on the first of
 * the same objects, which it holds in memory. `--quick` walks fewer; `--reports` sets their number.
 */
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, reports: { type: 'string' } },
});
const quick = values.quick === true;
const REPORTS = Number(values.reports ?? (quick ? 20_000 : 500_000));
const PAGE_SIZE = 100;
/** medallion takes longer for each page the more objects it holds. */
const COMPARED_OBJECTS = quick ? 2000 : 10_000;
const COMPARED_PAGES = 20;
const OBJECTS = '/taxii2/feeds/collections/ply/objects/';
const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';

interface Envelope {
  readonly next?: string;
  readonly objects?: readonly { readonly id: string; readonly modified?: string }[];
}

interface Walk {
  readonly objects: number;
  readonly pages: number;
  readonly seconds: number;
  /** The duration of each page, in milliseconds. */
  readonly durations: readonly number[];
  readonly first: NonNullable<Envelope['objects']>;
}

async function walk(server: RunningServer): Promise<Walk> {
  const durations: number[] = [];
  const first: NonNullable<Envelope['objects']>[number][] = [];
  let objects = 0;
  const started = performance.now();
  for (let next: string | undefined = ''; next !== undefined; ) {
    const from = performance.now();
    const cursor: string = next === '' ? '' : `&next=${next}`;
    const text = await get(server, `${OBJECTS}?limit=${PAGE_SIZE}${cursor}`);
    durations.push(performance.now() - from);
    const page = JSON.parse(text) as Envelope;
    objects += page.objects?.length ?? 0;
    if (first.length < COMPARED_OBJECTS) first.push(...(page.objects ?? []));
    next = page.next;
  }
  const seconds = (performance.now() - started) / 1000;
  return { objects, pages: durations.length, seconds, durations, first };
}

/** Pages a second, or why it was not measured. */
function measureMedallion(first: Walk['first'], folder: string): number | string {
  if (spawnSync(PYTHON, ['-c', 'import medallion']).status !== 0)
    return 'the Python package medallion is not installed';
  const rows = first.map((object, index) => ({
    object,
    date_added: new Date(index).toISOString().replace('Z', '000Z'),
  }));
  const file = join(folder, 'objects.json');
  writeFileSync(file, JSON.stringify(rows));
  const script = join(import.meta.dirname, 'medallion.py');
  const args = [script, file, String(PAGE_SIZE), String(COMPARED_PAGES)];
  const { status, stdout, stderr } = spawnSync(PYTHON, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`medallion failed: ${stderr}`);
  return Number(stdout.trim().split('\n').at(-1));
}

const verdicts = new Verdicts();
const work = mkdtempSync(join(tmpdir(), 'rapsheet-bench-taxii-'));
const copy = copyOf(storeOf(REPORTS));
const server = await startRapsheet(copy.folder);
try {
  await walk(server);
  const { objects, pages, seconds, durations, first } = await walk(server);
  const rate = pages / seconds;
  console.log(`${objects} objects, ${pages} pages of ${PAGE_SIZE} in ${seconds.toFixed(1)} s`);
  const tenth = Math.ceil(pages / 10);
  const growth = median(durations.slice(-tenth)) / median(durations.slice(0, tenth));
  verdicts.add('the last tenth of the pages to the first tenth', growth, 1.3, 'less');
  const peer = measureMedallion(first, work);
  if (typeof peer === 'string') verdicts.skip('pages a second to those of medallion', peer);
  else {
    console.log(`${rate.toFixed(0)} pages a second, medallion ${peer.toFixed(1)}`);
    verdicts.add('pages a second to those of medallion', rate / peer, 50, 'more');
  }
} finally {
  await server.stop();
  copy.remove();
  rmSync(work, { recursive: true });
}
console.log(`\n${verdicts}`);
process.exitCode = verdicts.missed > 0 ? 1 : 0;
