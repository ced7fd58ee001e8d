import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readAnalysisLines } from '../src/http/requests/analysis-lines.ts';
import { serializers } from '../src/http/responses/present.ts';
import type { Dependencies } from '../src/operations/dependencies.ts';
import { importSamples } from '../src/operations/samples/import-samples.ts';
import { openSqliteStore } from '../src/storage/sqlite/open.ts';
import { createMany } from './calls.ts';
import { PINNED, startRapsheet } from './processes.ts';
import { bulkBody } from './requests.ts';
import { copyOf, storeOf } from './stores.ts';
import { median, Verdicts } from './verdicts.ts';

/**
 * Measures the processor time of a line of an import and of a bulk create, all threads included,
 * and compares it with parsing the same lines as JSON. `--quick` uses a smaller store; `--only`
 * selects parts.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const quick = values.quick === true;
const STORED = quick ? 10_000 : 100_000;
const LINES = quick ? 5000 : 10_000;
const ROUNDS = quick ? 3 : 5;
/** As the command line imports. */
const CHUNK_LINES = 1000;
const verdicts = new Verdicts();

const hexOf = (text: string, algorithm: string) => createHash(algorithm).update(text).digest('hex');

/** A new analysis, with a fuzzy hash and a file name of its own. */
function analysisLine(number: number): string {
  const text = `imported ${number}`;
  const mixed = createHash('sha256').update(text).digest('base64').slice(0, 42);
  return serializers.analysis({
    date: new Date(Date.UTC(2026, 1, 1) + number * 1000),
    tags: [
      { heat: 10, name: 'ASYNCRAT' },
      { heat: 5, name: 'PERSISTENCE_SCHTASKS' },
      { heat: 1, name: 'DOTNET' },
    ],
    ssdeep: `768:${mixed}:${mixed.slice(0, 21)}`,
    configs: { ASYNCRAT: { C2s: `host${number % 5000}.example.invalid`, Ports: '4444' } },
    md5: hexOf(text, 'md5'),
    sha1: hexOf(text, 'sha1'),
    sha256: hexOf(text, 'sha256'),
    sha512: hexOf(text, 'sha512'),
    blake3: hexOf(`blake3 ${text}`, 'sha256'),
    fileName: `invoice-${hexOf(text, 'md5').slice(0, 8)}.exe`,
    sizeBytes: 40_000 + number,
    duration: '00:00:00.0427370',
  });
}

/** The processor time of this process for `work`, in microseconds per line. */
async function cpuPerLine(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / LINES;
}

function parsePlainly(body: string): Promise<number> {
  return cpuPerLine(() => {
    for (const line of body.split('\n')) if (line !== '') JSON.parse(line);
  });
}

interface Measured {
  readonly lines: readonly number[];
  readonly parsed: readonly number[];
}

/** The ratio depends less on the machine than the rate does. */
function judge(name: string, { lines, parsed }: Measured, rate: number, ratio: number): void {
  const perLine = median(lines);
  const plain = median(parsed);
  console.log(`${name}: ${perLine.toFixed(1)} us a line, JSON.parse alone ${plain.toFixed(1)} us`);
  verdicts.add(`${name}: lines a second of one core`, 1_000_000 / perLine, rate, 'more');
  verdicts.add(`${name}: to parsing the lines as JSON`, perLine / plain, ratio, 'less');
}

async function measureImport(): Promise<void> {
  const copy = copyOf(storeOf(STORED));
  const store = openSqliteStore(join(copy.folder, 'rapsheet.db'), serializers);
  // An import uses no other dependencies.
  const deps = { store, now: () => new Date() } as unknown as Dependencies;
  const lines: number[] = [];
  const parsed: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const body = Array.from({ length: LINES }, (_, line) => analysisLine(round * LINES + line));
    const bytes = Buffer.from(`${body.join('\n')}\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
      bytes.subarray(index * 65_536, (index + 1) * 65_536),
    );
    const run = () =>
      importSamples(deps, { actor: 'bench', at: new Date() }, readAnalysisLines(from(chunks)), {
        refused: ({ line, error }) => {
          throw new Error(`line ${line}: ${error}`);
        },
        chunkLines: CHUNK_LINES,
      });
    lines.push(await cpuPerLine(run));
    parsed.push(await parsePlainly(body.join('\n')));
  }
  await store.close();
  copy.remove();
  judge('import of analyses', { lines, parsed }, 30_000, 15);
}

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function measureCreates(): Promise<void> {
  const copy = copyOf(storeOf(STORED));
  const server = await startRapsheet(copy.folder);
  const lines: number[] = [];
  const parsed: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const body = bulkBody(round * LINES, LINES, STORED);
    const before = server.cpuMs();
    const answer = await createMany(server, body);
    lines.push(((server.cpuMs() - before) * 1000) / LINES);
    if (answer.split('"successful":true').length !== LINES + 1)
      throw new Error('lines are missing');
    parsed.push(await parsePlainly(body));
  }
  await server.stop();
  copy.remove();
  judge('bulk create', { lines, parsed }, 40_000, 40);
}

const parts: Record<string, () => Promise<void>> = {
  import: measureImport,
  creates: measureCreates,
};

console.log(`node ${process.version}, ${PINNED}`);
for (const [name, part] of Object.entries(parts)) {
  if (values.only === undefined || values.only.split(',').includes(name)) await part();
}
console.log(`\n${verdicts}`);
