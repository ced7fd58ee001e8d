import { parseArgs } from 'node:util';
import { answerHelp } from '../../scripts/parts.ts';
import { serverPrograms } from '../e2e/cluster/own-postgres.ts';
import { hasProc } from '../e2e/faults/footprint.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import type { AttackCase, DatabaseKind, Measures } from './case.ts';
import { cases } from './cases/index.ts';
import { Target } from './target.ts';

/**
 * Runs the attack cases against a real server on each database, and prints the unsafe ones. Load
 * cases run on separate servers, whose memory and event loop turns are measured and limited.
 */
answerHelp(`npm run attack -- [word…] [options]

  word…              only the cases whose name contains one of the words
  --list             lists the ${cases.length} cases
  --short            omits the long cases
  --database sqlite  one database; the other is postgres`);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    database: { type: 'string' },
  },
});

/** The default limit of memory growth over the idle server. */
const MAX_GROWN_MB = 300;
const TARGET_TURN_MS = 50;
/** Above `TARGET_TURN_MS`, because shared machines stall. */
const MAX_TURN_MS = 200;

const databases = (['sqlite', 'postgres'] as const).filter(
  (kind) => values.database === undefined || values.database === kind,
);

function isSelected({ name, isLong = false }: AttackCase): boolean {
  if (positionals.length > 0) return positionals.some((word) => name.includes(word));
  return !(values.short && isLong);
}

const counts = { passed: 0, failed: 0, skipped: 0 };
let longestTurn = { ms: 0, name: '' };

function printResult(name: string, unsafe: readonly string[], figures?: string): void {
  const isSafe = unsafe.length === 0;
  counts[isSafe ? 'passed' : 'failed'] += 1;
  // Safe single requests are printed only if cases were selected by name.
  if (isSafe && figures === undefined && positionals.length === 0) return;
  console.log(`  ${isSafe ? 'safe  ' : 'UNSAFE'}  ${name}${figures ?? ''}`);
  for (const finding of unsafe) console.log(`          ${finding}`);
}

function skip(name: string, reason: string): void {
  counts.skipped += 1;
  console.log(`  skipped ${name}: ${reason}`);
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
    for (const attack of list) printResult(attack.name, await attempt(attack, target));
    console.log(`  ${list.length} cases without load`);
  } finally {
    await target.stop();
  }
}

async function runLoad(attack: AttackCase, options: Options): Promise<void> {
  if (!hasProc) return skip(attack.name, 'needs /proc to measure processes');
  const target = await Target.start({ ...options, settings: attack.settings ?? {} });
  try {
    await attack.prepare?.(target);
    await target.settle();
    const { result, measures } = await target.measure(() => attempt(attack, target));
    const { grownMb, turnCpuMs, turnWallMs, livezMs } = measures;
    if (turnCpuMs > longestTurn.ms) longestTurn = { ms: turnCpuMs, name: attack.name };
    const figures = `  [+${Math.round(grownMb)} MB, longest turn ${Math.round(turnCpuMs)} ms CPU, ${Math.round(turnWallMs)} ms elapsed, /livez at most ${Math.round(livezMs)} ms]`;
    printResult(attack.name, [...result, ...outOfBounds(attack, measures)], figures);
  } finally {
    await target.stop();
  }
}

function outOfBounds(
  { maxGrownMb = MAX_GROWN_MB, maxTurnMs = MAX_TURN_MS }: AttackCase,
  { grownMb, turnCpuMs }: Measures,
): readonly string[] {
  return [
    ...(grownMb > maxGrownMb ? [`memory grew by more than ${maxGrownMb} MB`] : []),
    ...(turnCpuMs > maxTurnMs ? [`a turn of the event loop took more than ${maxTurnMs} ms`] : []),
  ];
}

interface Options {
  readonly database: DatabaseKind;
  readonly postgres: PostgresServer | undefined;
}

async function runOn(options: Options): Promise<void> {
  const { database } = options;
  console.log(`on ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}:`);
  const selected = cases.filter(
    (attack) => isSelected(attack) && (attack.database ?? database) === database,
  );
  const groups = Object.groupBy(selected, ({ isLoad }) => (isLoad ? 'load' : 'request'));
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
    skip('all cases on PostgreSQL', 'needs the programs of PostgreSQL');
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
  `longest turn of the event loop: ${Math.round(longestTurn.ms)} ms CPU time (target ${TARGET_TURN_MS}), ${longestTurn.name}`,
);
console.log(`${counts.passed} safe, ${counts.failed} unsafe, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);
