import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/**
 * Runs the tests on Node's own runner: all of them, or those whose path contains one of the given words.
 * With `--coverage` it also holds the line: 90 % of all lines, every line of the domain.
 * With `--postgres` those that use a store through HTTP or the command line run on PostgreSQL instead of SQLite, and
 * with them those that take long (`*.long-test.ts`).
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { coverage: { type: 'boolean' }, postgres: { type: 'boolean', default: false } },
});

const ON_EITHER_STORE = ['test/{http,e2e,cli}/**/*.test.ts', 'test/**/*.long-test.ts'];

const files = globSync(
  values.postgres ? ON_EITHER_STORE : ['src/**/*.test.ts', 'test/**/*.test.ts'],
)
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort();

/** Many tests wait for processes of their own: one file more at once than there are processors. */
const AT_ONCE = `--test-concurrency=${availableParallelism() + 1}`;

let underWay: ChildProcess | undefined;

// Whoever ends this also ends what it started: the server for PostgreSQL goes by itself then, the tests do not.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => underWay?.kill(signal));

const run = (args: string[], environment: Readonly<Record<string, string>>) =>
  new Promise<number>((resolve) => {
    const env = { ...process.env, ...environment };
    underWay = spawn(process.execPath, args, { stdio: 'inherit', env });
    underWay.on('exit', (code) => resolve(code ?? 1));
  });

const covered = (lines: number, include: string) => [
  '--experimental-test-coverage',
  `--test-coverage-lines=${lines}`,
  `--test-coverage-include=${include}`,
  '--test-coverage-exclude=**/*.test.ts',
];

async function runTests(environment: Readonly<Record<string, string>>): Promise<number> {
  if (values.coverage !== true) return await run(['--test', AT_ONCE, ...files], environment);
  const domain = files.filter((file) => file.startsWith('src/domain/'));
  return (
    (await run(['--test', AT_ONCE, ...covered(100, 'src/domain/**'), ...domain], environment)) ||
    (await run(['--test', AT_ONCE, ...covered(90, 'src/**'), ...files], environment))
  );
}

/** One server for all files, where there is none yet: each would start its own. */
async function withPostgres(work: (url: string) => Promise<number>): Promise<number> {
  const { startPostgres } = await import('../test/postgres.ts');
  const server = await startPostgres();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

const usesPostgres = (file: string) => readFileSync(file, 'utf8').includes("from '../postgres.ts'");
const isWanted = values.postgres || files.some(usesPostgres);
const store: Readonly<Record<string, string>> = values.postgres ? { TEST_STORE: 'postgres' } : {};

process.exitCode =
  isWanted && process.env['TEST_POSTGRES_URL'] === undefined
    ? await withPostgres((url) => runTests({ ...store, TEST_POSTGRES_URL: url }))
    : await runTests(store);
