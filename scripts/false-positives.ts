import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine } from '../src/analysis/engine.ts';
import { loadRuleSources } from '../src/analysis/rules/rule-files.ts';
import { moduleFiles, systemBinaries } from '../test/analysis/ordinary-files.ts';

/**
 * The whole engine, rules and unpacking included, over programs that nobody suspects: those of this
 * machine and of our dependencies. Prints every family that it sees in them, and fails where it saw
 * one: `npm run false-positives [-- --most 3000 --largest 16]` (files of each kind, megabytes).
 */
const { values } = parseArgs({
  options: {
    most: { type: 'string', default: '1500' },
    largest: { type: 'string', default: '8' },
  },
});
const FAMILY_HEAT = 9;
const mostFiles = Number(values.most);
const mostBytes = Number(values.largest) * 1024 * 1024;

const engine = await openEngine(loadRuleSources().sources);

async function claims(path: string): Promise<readonly string[]> {
  const file = { bytes: readFileSync(path), fileName: basename(path) };
  const { report } = await engine.analyse(file, new Date());
  const families = report.tags.filter(({ heat }) => heat >= FAMILY_HEAT).map(({ name }) => name);
  return [...new Set([...families, ...Object.keys(report.configs)])];
}

async function lookAt(what: string, files: Iterator<string>): Promise<void> {
  const started = performance.now();
  let count = 0;
  let wrong = 0;
  for (let next = files.next(); next.done !== true && count < mostFiles; next = files.next()) {
    const found = await claims(next.value);
    if (found.length > 0) console.log(`${next.value}: ${found.join(', ')}`);
    if (found.length > 0) wrong += 1;
    count += 1;
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${what}: ${count} files in ${seconds} s, ${wrong} taken for a family`);
  if (wrong > 0) process.exitCode = 1;
}

/** Programs of all of node_modules, and of its many scripts some. */
function* modules(): Generator<string> {
  const scripts: string[] = [];
  for (const path of moduleFiles(mostBytes)) {
    if (/\.[cm]?js$/.test(path)) scripts.push(path);
    else yield path;
  }
  yield* scripts;
}

await lookAt('the distribution', systemBinaries(mostBytes));
await lookAt('node_modules', modules());
