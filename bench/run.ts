import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { capture } from './compare.ts';
import { type Figure, Figures } from './figures.ts';
import { type LoadPart, loadParts } from './load-parts.ts';
import { PINNED, type RunningServer, startBare, startRapsheet, writeJson } from './processes.ts';
import { fetches } from './requests.ts';
import { type LoadedServer, measureRounds, type Result } from './rounds.ts';
import { copyOf } from './stores.ts';
import { addAdmin, openTree, THIS_TREE, type Tree } from './trees.ts';
import { median } from './verdicts.ts';

/**
 * Measures the CPU time of a request under load, as a multiple of what a bare `node:http` server
 * needs for a small response on the same core in the same round. `--quick` uses a smaller store and
 * shorter rounds, `--only` selects parts, `--repeat` measures several times, `--against` compares
 * with another checkout, alternating.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    against: { type: 'string' },
    // For a smoke run of the benchmark itself.
    count: { type: 'string' },
  },
});
const { quick } = values;
const MANY = Number(values.count ?? (quick ? 100_000 : 1_000_000));
const FEW = Math.min(10_000, MANY);
const plan = quick
  ? { connections: 64, warmUpSeconds: 12, seconds: 1.5, rounds: 3 }
  : { connections: 64, warmUpSeconds: 16, seconds: 4, rounds: 5 };

/** The bare server's CPU time per request when the targets were set. */
const BARE_MICROS = 17;

const work = mkdtempSync(join(tmpdir(), 'rapsheet-bench-work-'));

/** A checkout with writable copies of its stores. */
interface Subject extends Tree {
  readonly many: string;
  readonly few: string;
  readonly adminToken: string;
}

const trees: readonly Tree[] = [
  ...(values.against === undefined ? [] : [await openTree('before', values.against)]),
  await openTree(values.against === undefined ? 'measured' : 'after', THIS_TREE),
];
const figures = new Figures(trees.map(({ name }) => name));

function add(figure: Figure, tree: Tree, value: number): void {
  figures.add(figure, tree.name, value);
}

function addResult(name: string, part: LoadPart, tree: Tree, result: Result): void {
  const perReport = part.plan?.once ? ' per line' : '';
  const perRequest = part.linesPerRequest ?? 1;
  const toBare = result.toFirst / perRequest;
  const micros = result.cpuMicros / perRequest;
  const target = part.micros / BARE_MICROS;
  const less = { better: 'less', unit: '' } as const;
  add(
    { name: `${name}: CPU time${perReport} to the bare server's`, target, ...less },
    tree,
    toBare,
  );
  add({ name: `${name}: CPU time${perReport}`, unit: 'µs', better: 'less' }, tree, micros);
  const rate = { name: `${name}: a second`, unit: '', better: 'more' } as const;
  add({ ...rate, ...(part.rate && { target: part.rate }) }, tree, result.rate * perRequest);
  if (part.p99 !== undefined)
    add({ name: `${name}: p99`, unit: 'ms', target: part.p99, better: 'less' }, tree, result.p99);
  const memory = { name: `${name}: resident memory`, unit: 'MB', better: 'less' } as const;
  add({ ...memory, ...(!part.plan?.once && { target: 300 }) }, tree, result.residentMb);
}

/** The bare server answers a fetch, whatever the other servers are asked. */
async function startAnchor(rapsheet: RunningServer): Promise<LoadedServer> {
  const requests = fetches(MANY).slice(0, 1000);
  const answer = writeJson(work, 'answer.json', await capture(rapsheet.port, requests[0] ?? ''));
  const file = writeJson(work, 'anchor.json', requests);
  return {
    name: 'bare node:http',
    server: await startBare(answer),
    requests: () => file,
    plan: { seconds: Math.min(2, plan.seconds) },
  };
}

async function measurePart(name: string, part: LoadPart, subjects: readonly Subject[]) {
  const running: RunningServer[] = [];
  const start = async (subject: Subject, store: 'many' | 'few'): Promise<LoadedServer> => {
    const server = await startRapsheet(subject[store], { tree: subject.folder });
    running.push(server);
    const count = store === 'many' ? MANY : FEW;
    let round = 0;
    const requests = () => {
      round += 1;
      return writeJson(work, 'requests.json', part.requests(count, round, subject.adminToken));
    };
    return {
      name: `${name}, ${subject.name}`,
      server,
      requests,
      ...(part.plan && { plan: part.plan }),
    };
  };
  try {
    const many = await Promise.all(subjects.map((subject) => start(subject, 'many')));
    const few = part.toFew ? await Promise.all(subjects.map((one) => start(one, 'few'))) : [];
    const anchor = await startAnchor(running[0] as RunningServer);
    running.push(anchor.server);
    const [bare, ...results] = await measureRounds([anchor, ...many, ...few], plan);
    console.error(`${name}: the bare server took ${bare?.cpuMicros.toFixed(1)} µs`);
    for (const [index, subject] of subjects.entries())
      addResults(name, part, subject, [results[index], results[subjects.length + index]]);
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

function addResults(
  name: string,
  part: LoadPart,
  subject: Subject,
  [many, few]: readonly [Result | undefined, Result | undefined],
): void {
  if (many === undefined) return;
  addResult(name, part, subject, many);
  if (few === undefined || part.toFew === undefined) return;
  const figure = `${name}: CPU time with ${MANY} rows to that with ${FEW}`;
  const toFew = { name: figure, unit: '', target: part.toFew, better: 'less' } as const;
  add(toFew, subject, many.cpuMicros / few.cpuMicros);
}

async function measureStart(subjects: readonly Subject[]): Promise<void> {
  const times = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < 5; round += 1) {
    for (const [subject, own] of times) {
      const server = await startRapsheet(subject.many, { tree: subject.folder });
      own.push(server.startedInMs / 1000);
      await server.stop();
    }
  }
  const figure = { name: `start to ready with ${MANY} samples and reports`, unit: 's' } as const;
  for (const [subject, own] of times)
    add({ ...figure, target: 0.8, better: 'less' }, subject, median(own));
}

async function withCopies(use: (subjects: readonly Subject[]) => Promise<void>): Promise<void> {
  const copies: ReturnType<typeof copyOf>[] = [];
  const copy = (store: string): string => {
    copies.push(copyOf(store));
    return copies.at(-1)?.folder ?? '';
  };
  try {
    const subjects = trees.map((tree) => {
      const many = copy(tree.storeOf(MANY));
      const few = copy(tree.storeOf(FEW));
      return { ...tree, many, few, adminToken: addAdmin(tree.folder, many) };
    });
    await use(subjects);
  } finally {
    for (const { remove } of copies) remove();
  }
}

const isSelected = (name: string) => !values.only || values.only.split(',').includes(name);

console.error(
  `node ${process.version}, ${PINNED}, ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s`,
);
for (let run = 1; run <= Number(values.repeat); run += 1) {
  await withCopies(async (subjects) => {
    if (isSelected('start')) await measureStart(subjects);
    for (const [name, part] of Object.entries(loadParts))
      if (isSelected(name)) await measurePart(name, part, subjects);
  });
  console.error(`run ${run} of ${values.repeat}`);
}
rmSync(work, { recursive: true });
console.log(String(figures));
