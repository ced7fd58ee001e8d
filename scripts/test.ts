import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/**
 * Runs the tests on Node's own runner: all of them, or those whose path contains one of the given words.
 * With `--coverage` it also holds the line: 90 % of all lines, every line of the domain.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { coverage: { type: 'boolean' } },
});

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort();

/** Many tests wait for processes of their own: as many files at once as there are processors, and never one alone. */
const AT_ONCE = `--test-concurrency=${Math.max(2, availableParallelism())}`;

const run = (args: string[]) =>
  new Promise<number>((resolve) => {
    spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', (code) => resolve(code ?? 1));
  });

const covered = (lines: number, include: string) => [
  '--experimental-test-coverage',
  `--test-coverage-lines=${lines}`,
  `--test-coverage-include=${include}`,
  '--test-coverage-exclude=**/*.test.ts',
];

if (values.coverage === true) {
  const domain = files.filter((file) => file.startsWith('src/domain/'));
  process.exitCode =
    (await run(['--test', AT_ONCE, ...covered(100, 'src/domain/**'), ...domain])) ||
    (await run(['--test', AT_ONCE, ...covered(90, 'src/**'), ...files]));
} else {
  process.exitCode = await run(['--test', AT_ONCE, ...files]);
}
