import { parseArgs } from 'node:util';
import { serverPrograms } from '../e2e/cluster/own-postgres.ts';
import { hasProc } from '../e2e/faults/footprint.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import type { AttackCase, DatabaseKind, Measures } from './case.ts';
import { cases } from './cases/index.ts';
import { Target } from './target.ts';

/**
 * Attacks a real server on each database with a list of cases, and says which answers were unsafe.
 * Load cases run on a server of their own; its memory and the turns of its event loop are measured
 * and bounded. Words choose the cases whose names contain one of them; `--short` leaves out the
 * long ones; `--database` takes one of the two; `--list` only lists.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    database: { type: 'string' },
  },
});

/** Over the idle server, under any attack. */
const MAX_GROWN_MB = 300;
const TARGET_TURN_MS = 20;
/** Shared machines stall; beyond this it is our doing. */
const MAX_TURN_MS = 200;

const databases = (['sqlite', 'postgres'] as const).filter(
  (kind) => values.database === undefined || values.database === kind,
);

function isChosen({ name, isLong = false }: AttackCase): boolean {
  if (positionals.length > 0) return positionals.some((word) => name.includes(word));
  return !(values.short && isLong);
}

const counts = { passed: 0, failed: 0, skipped: 0 };
let longestTurn = { ms: 0, name: '' };

function settle(name: string, unsafe: readonly string[], figures?: string): void {
  const isSafe = unsafe.length === 0;
  counts[isSafe ? 'passed' : 'failed'] += 1;
  // Of the many requests only those are named that were asked for, or went wrong.
  if (isSafe && figures === undefined && positionals.length === 0) return;
  console.log(`  ${isSafe ? 'safe  ' : 'UNSAFE'}  ${name}${figures ?? ''}`);
  for (const one of unsafe) console.log(`          ${one}`);
}

function skip(name: string, why: string): void {
  counts.skipped += 1;
  console.log(`  skipped ${name}: ${why}`);
}

async function attempt(attack: AttackCase, target: Target): Promise<readonly string[]> {
  try {
    const unsafe = await attack.run(target);
    const failure = await target.failure();
    return failure === undefined ? unsafe : [...unsafe, failure];
  } catch (cause) {
    return [`the case itself failed: ${cause instanceof Error ? cause.stack : cause}`];
  }
}

async function runRequests(list: readonly AttackCase[], options: Options): Promise<void> {
  if (list.length === 0) return;
  const target = await Target.start(options);
  try {
    for (const attack of list) settle(attack.name, await attempt(attack, target));
    console.log(`  ${list.length} cases of single requests and callers`);
  } finally {
    await target.stop();
  }
}

async function runLoad(attack: AttackCase, options: Options): Promise<void> {
  if (!hasProc) return skip(attack.name, 'there is no /proc to see what a process takes');
  const target = await Target.start({ ...options, settings: attack.settings ?? {} });
  try {
    await attack.prepare?.(target);
    await target.settle();
    const { result, measures } = await target.measure(() => attempt(attack, target));
    const { grownMb, turnCpuMs, turnWallMs, livezMs } = measures;
    if (turnCpuMs > longestTurn.ms) longestTurn = { ms: turnCpuMs, name: attack.name };
    const figures = `  [+${Math.round(grownMb)} MB, longest turn ${Math.round(turnCpuMs)} ms of processor and ${Math.round(turnWallMs)} ms of time, /livez at most ${Math.round(livezMs)} ms]`;
    settle(attack.name, [...result, ...outOfBounds(attack, measures)], figures);
  } finally {
    await target.stop();
  }
}

function outOfBounds(
  { maxGrownMb = MAX_GROWN_MB }: AttackCase,
  { grownMb, turnCpuMs }: Measures,
): readonly string[] {
  return [
    ...(grownMb > maxGrownMb ? [`grew by more than ${maxGrownMb} MB`] : []),
    ...(turnCpuMs > MAX_TURN_MS ? [`a turn took more than ${MAX_TURN_MS} ms`] : []),
  ];
}

interface Options {
  readonly database: DatabaseKind;
  readonly postgres: PostgresServer | undefined;
}

async function runOn(options: Options): Promise<void> {
  const { database } = options;
  console.log(`on ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}:`);
  const chosen = cases.filter(
    (attack) => isChosen(attack) && (attack.database ?? database) === database,
  );
  const groups = Object.groupBy(chosen, ({ isLoad }) => (isLoad ? 'load' : 'request'));
  await runRequests(groups.request ?? [], options);
  for (const attack of groups.load ?? []) await runLoad(attack, options);
}

if (values.list) {
  for (const { name, safe, isLong } of cases)
    console.log(`${name}\n    safe: ${safe}${isLong ? ' (long)' : ''}`);
  process.exit(0);
}
for (const database of databases) {
  if (database === 'postgres' && serverPrograms === undefined) {
    skip('all cases on PostgreSQL', 'the programs of PostgreSQL are not there');
    continue;
  }
  const postgres = database === 'postgres' ? await startPostgres() : undefined;
  try {
    await runOn({ database, postgres });
  } finally {
    await postgres?.stop();
  }
}
console.log(
  `longest turn of the event loop: ${Math.round(longestTurn.ms)} ms of processor time (target ${TARGET_TURN_MS}), ${longestTurn.name}`,
);
console.log(`${counts.passed} safe, ${counts.failed} unsafe, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);
