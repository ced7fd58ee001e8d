import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startRapsheet } from '../processes.ts';
import { copyOf, storeOf } from '../stores.ts';
import { addAdmin, THIS_TREE } from '../trees.ts';
import {
  cases,
  excluded,
  missingCases,
  type Operation,
  readOperations,
  variants,
} from './cases.ts';
import { FlatServer } from './client.ts';
import type { FlatCase } from './flat-case.ts';
import { measureCase } from './measure.ts';
import {
  aboveLimit,
  type FlatReport,
  type FlatRow,
  flatPage,
  flatPlot,
  flatTable,
} from './page.ts';
import { storeAnalysedFile } from './sample-cases.ts';

/**
 * Measures the CPU time of every operation of the API at several sizes of the store, and writes
 * the page and the plot of it. `--quick` leaves out the largest store and only prints the table;
 * `--only` selects operations.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    sizes: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const SIZES = (values.sizes ?? (values.quick ? '10000,100000' : '10000,100000,1000000'))
  .split(',')
  .map(Number);
const plan = values.quick ? { rounds: 3, roundMs: 30 } : { rounds: 5, roundMs: 60 };
const isWritten = values.write || !(values.quick || values.only || values.sizes);

const SETTINGS = {
  // Samples are stored, but not analysed: an analysis would use CPU time during other calls.
  RAPSHEET_ANALYSIS_WORKERS: '0',
  RAPSHEET_ACCOUNT_TOKENS: '0',
  // No mail is due while the benchmark runs.
  RAPSHEET_SMTP_URL: 'smtp://127.0.0.1:9',
  RAPSHEET_MAIL_FROM: 'reports@feeds.example',
  RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
  RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
};

/** Accepts every webhook. */
async function startSink(): Promise<Server> {
  const sink = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  return sink;
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`;
}

async function stop(server: FlatServer): Promise<void> {
  server.close();
  await server.process.stop();
}

async function withServers(use: (servers: readonly FlatServer[]) => Promise<void>): Promise<void> {
  const sink = await startSink();
  const copies = SIZES.map((count) => copyOf(storeOf(count)));
  const servers: FlatServer[] = [];
  try {
    for (const [index, { folder }] of copies.entries()) {
      const adminToken = addAdmin(THIS_TREE, folder);
      const start = async (settings: Readonly<Record<string, string>>) => {
        const process = await startRapsheet(folder, { settings });
        const count = SIZES[index] ?? 0;
        return new FlatServer({ count, adminToken, process, sinkUrl: urlOf(sink) });
      };
      const analysing = await start({});
      await storeAnalysedFile(analysing);
      await stop(analysing);
      servers.push(await start(SETTINGS));
    }
    await use(servers);
  } finally {
    await Promise.all(servers.map(stop));
    sink.close();
    for (const copy of copies) copy.remove();
  }
}

interface Measured extends Operation {
  readonly flatCase: FlatCase;
}

/** The operations in the order in which they are measured, and other forms of their calls. */
function selectCases(operations: readonly Operation[]): readonly Measured[] {
  const withCases = (all: Readonly<Record<string, FlatCase>>, of?: string) =>
    Object.entries(all).flatMap(([id, flatCase]) => {
      const operation = operations.find((one) => one.id === (of ?? id));
      return operation ? [{ ...operation, id, flatCase }] : [];
    });
  const all = withCases(cases);
  const others = Object.entries(variants).flatMap(([id, forms]) => withCases(forms, id));
  const selected = values.only?.split(',');
  const isRead = ({ method }: Operation) => method === 'GET';
  const ordered = [...all.filter(isRead), ...others, ...all.filter((one) => !isRead(one))];
  return ordered.filter(({ id }) => selected === undefined || selected.includes(id));
}

async function measureAll(operations: readonly Operation[]): Promise<FlatReport> {
  const rows: FlatRow[] = [];
  const failed: [string, string][] = [];
  await withServers(async (servers) => {
    for (const { flatCase, ...operation } of selectCases(operations)) {
      try {
        const micros = await measureCase(flatCase, servers, plan);
        rows.push({ ...operation, micros });
        console.error(operation.id, micros.map((value) => value.toFixed(1)).join(' '));
      } catch (error) {
        failed.push([operation.id, `failed: ${error}`]);
        console.error(operation.id, error);
      }
    }
  });
  const missing = missingCases(operations).map((id): [string, string] => [id, 'no case']);
  return {
    sizes: SIZES,
    rows: inOrder(rows, operations),
    unmeasured: [...missing, ...Object.entries(excluded), ...failed],
    measuredOn: `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.version} on ${cpus().length} cores (${cpus()[0]?.model}).`,
  };
}

/** In the order of the OpenAPI document, other forms of calls after their operation. */
function inOrder(rows: readonly FlatRow[], operations: readonly Operation[]): readonly FlatRow[] {
  const indexOf = (id: string) => operations.findIndex((operation) => operation.id === id);
  const position = ({ id }: FlatRow) => {
    const called = Object.keys(variants).find((of) => Object.hasOwn(variants[of] ?? {}, id));
    return called === undefined ? indexOf(id) : indexOf(called) + 0.5;
  };
  return [...rows].sort((one, other) => position(one) - position(other));
}

const report = await measureAll(readOperations());
console.log(flatTable(report));
for (const [id, reason] of report.unmeasured) console.log(`not measured: ${id}, ${reason}`);
console.log(
  `above the limit: ${
    aboveLimit(report.rows)
      .map(({ id }) => id)
      .join(', ') || 'none'
  }`,
);
if (isWritten) {
  const file = (path: string) => new URL(`../../docs/${path}`, import.meta.url);
  writeFileSync(file('operations/flatness.md'), flatPage(report));
  writeFileSync(file('images/flatness.svg'), flatPlot(report));
}
if (report.unmeasured.some(([id]) => !Object.hasOwn(excluded, id))) process.exitCode = 1;
