import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answerHelp } from './parts.ts';

/**
 * Runs every test that mutates input, with more inputs than `npm test` and a random seed, which is
 * printed.
 */
answerHelp(`npm run fuzz -- [word…] [options]

  word…        only the test files whose path contains one of the words
  --runs 5000  inputs for each parser
  --seed 7     repeats a failure`);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5000' }, seed: { type: 'string' } },
});
const seed = values.seed ?? String(randomInt(2 ** 31));

const files = globSync('{src,test}/**/*.test.ts')
  .filter((file) => readFileSync(file, 'utf8').includes('fuzzSettings'))
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort();

console.log(`${files.length} files, ${values.runs} inputs for each parser, seed ${seed}`);
spawn(process.execPath, ['--test', ...files], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SEED: seed, FUZZ_RUNS: values.runs },
}).on('exit', (code) => {
  if (code !== 0) console.error(`repeat the failure with --seed ${seed}`);
  process.exitCode = code ?? 1;
});
