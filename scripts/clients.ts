import { parseArgs } from 'node:util';
import type { Client } from './clients/client.ts';
import { CLIENTS } from './clients/list.ts';
import { isPageCurrent, PAGE, type Result, writePage } from './clients/page.ts';
import { Trial } from './clients/trial.ts';
import { answerHelp } from './parts.ts';

/**
 * Runs programs that others wrote against a server with a demo store, and compares what they read
 * with what the API says. `TEST_PYTHON` is a Python with the packages of
 * `clients/requirements.txt`. A program that is not installed is skipped by name.
 */
answerHelp('npm run clients -- [--short] [--only <part of a name>] [--write]');
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const { short, only, write } = values;
/** Of the message of a failure. */
const MAX_LINES = 60;

function isSelected({ name, isLong = false }: Client): boolean {
  if (only !== undefined) return name.toLowerCase().includes(only.toLowerCase());
  return !(short && isLong);
}

async function check(client: Client, trial: Trial): Promise<Result> {
  const { name, source } = client;
  const reason = source.lacks();
  if (reason !== undefined) {
    console.log(`skipped  ${name}: ${reason}`);
    return { kind: 'skipped', reason };
  }
  const started = performance.now();
  const version = source.version();
  try {
    await client.run(trial);
  } catch (error) {
    const { message, stdout = '' } = error as Error & { readonly stdout?: string };
    const lines = `${message}\n${stdout}`.split('\n').slice(0, MAX_LINES).join('\n');
    console.log(`FAILED   ${name} ${version}: ${lines}`);
    return { kind: 'failed' };
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`works    ${name} ${version} (${seconds} s)`);
  return { kind: 'works', version };
}

async function checkAll(): Promise<ReadonlyMap<Client, Result>> {
  const trial = await Trial.open();
  const results = new Map<Client, Result>();
  try {
    for (const client of Object.values(CLIENTS).flat().filter(isSelected))
      results.set(client, await check(client, trial));
  } finally {
    await trial.close();
  }
  return results;
}

const results = await checkAll();
const count = (kind: Result['kind']) =>
  [...results.values()].filter((result) => result.kind === kind).length;
const failed = count('failed');
const isWhole = !short && only === undefined;

if (write && isWhole && failed === 0) writePage(CLIENTS, results);
const isCurrent = isPageCurrent(CLIENTS);
if (!isCurrent) console.log(`FAILED   ${PAGE} is out of date: run npm run clients -- --write`);
console.log(`${count('works')} work, ${failed} failed, ${count('skipped')} skipped`);
process.exitCode = failed > 0 || !isCurrent ? 1 : 0;
