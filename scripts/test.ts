import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endHungFiles } from './hung-files.ts';

/**
 * Runs the tests on Node's own runner: all of them, or those whose path contains one of the given
 * words. A file that does not end is ended, and named. With `--coverage` it also holds the line: 90
 * % of all lines, every line of the domain. With `--postgres` those that use a store through HTTP
 * or the command line run on PostgreSQL instead of SQLite, and with them those that take long
 * (`*.long-test.ts`).
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

/**
 * Many tests wait for processes of their own: three files more at once than there are processors.
 */
const AT_ONCE = `--test-concurrency=${availableParallelism() + 3}`;

/**
 * Many times what the slowest of them takes: a test that has not ended by then hangs, and is named.
 */
const TEST_LIMIT = '--test-timeout=300000';

/** What such a test has left behind would keep its file for ever. */
const FILE_LIMIT_MINUTES = 10;

let underWay: ChildProcess | undefined;

// Whoever ends this also ends what it started: the server for PostgreSQL goes by itself then, the
// tests do not.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => underWay?.kill(signal));

/**
 * Files share most of what they load: compiled once it saves a fifth of their time. It makes the
 * measured coverage wrong.
 */
const COMPILED: Readonly<Record<string, string>> =
  values.coverage === true ? {} : { NODE_COMPILE_CACHE: join(tmpdir(), 'rapsheet-compile-cache') };

const run = (args: string[], environment: Readonly<Record<string, string>>) =>
  new Promise<number>((resolve) => {
    const env = { ...process.env, ...COMPILED, ...environment };
    underWay = spawn(process.execPath, ['--test', AT_ONCE, TEST_LIMIT, ...args], {
      stdio: 'inherit',
      env,
    });
    const stopWatch = endHungFiles({
      runner: underWay.pid ?? 0,
      files,
      limitMs: FILE_LIMIT_MINUTES * 60_000,
      tell: (file) =>
        process.stderr.write(
          `${file} has not ended in ${FILE_LIMIT_MINUTES} minutes: it is killed\n`,
        ),
    });
    underWay.on('exit', (code) => {
      stopWatch();
      resolve(code ?? 1);
    });
  });

const covered = (lines: number, include: string) => [
  '--experimental-test-coverage',
  `--test-coverage-lines=${lines}`,
  `--test-coverage-include=${include}`,
  '--test-coverage-exclude=**/*.test.ts',
];

async function runTests(environment: Readonly<Record<string, string>>): Promise<number> {
  if (values.coverage !== true) return await run(files, environment);
  const domain = files.filter((file) => file.startsWith('src/domain/'));
  return (
    // Without any file the runner would look for some itself.
    (domain.length > 0 &&
      (await run([...covered(100, 'src/domain/**'), ...domain], environment))) ||
    (await run([...covered(90, 'src/**'), ...files], environment))
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

function runAll(): Promise<number> {
  if (files.length === 0) throw new Error('there is no such test');
  return isWanted && process.env['TEST_POSTGRES_URL'] === undefined
    ? withPostgres((url) => runTests({ ...store, TEST_POSTGRES_URL: url }))
    : runTests(store);
}

// Said out loud: what comes with the server for PostgreSQL ends a process that has nothing more to
// do with 0, whatever its exit code was to be.
process.exit(await runAll());
