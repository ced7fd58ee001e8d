import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine } from '../src/analysis/engine.ts';
import { loadRuleSources } from '../src/analysis/rules/rule-files.ts';
import { moduleFiles, systemBinaries } from '../test/analysis/ordinary-files.ts';

/**
 * Runs the whole engine, rules and unpacking included, over benign programs: those of this machine
 * and of the dependencies. Prints every family that it reports and fails if there is one: `npm run
 * false-positives [-- --most 3000 --largest 16]` (files of each kind, megabytes).
 */
const { values } = parseArgs({
  options: {
    most: { type: 'string', default: '1500' },
    largest: { type: 'string', default: '8' },
  },
});
const FAMILY_HEAT = 9;
const maxFiles = Number(values.most);
const maxBytes = Number(values.largest) * 1024 * 1024;

const engine = await openEngine(loadRuleSources().sources);

async function reportedFamilies(path: string): Promise<readonly string[]> {
  const file = { bytes: readFileSync(path), fileName: basename(path) };
  const { report } = await engine.analyse(file, new Date());
  const tags = report.tags.filter(({ heat }) => heat >= FAMILY_HEAT).map(({ name }) => name);
  return [...new Set([...tags, ...Object.keys(report.configs)])];
}

async function checkFiles(source: string, files: Iterator<string>): Promise<void> {
  const started = performance.now();
  let count = 0;
  let wrong = 0;
  for (let next = files.next(); next.done !== true && count < maxFiles; next = files.next()) {
    const families = await reportedFamilies(next.value);
    if (families.length > 0) console.log(`${next.value}: ${families.join(', ')}`);
    if (families.length > 0) wrong += 1;
    count += 1;
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${source}: ${count} files in ${seconds} s, ${wrong} reported as a family`);
  if (wrong > 0) process.exitCode = 1;
}

/** Programs of node_modules first, then its many scripts, up to the limit. */
function* modules(): Generator<string> {
  const scripts: string[] = [];
  for (const path of moduleFiles(maxBytes)) {
    if (/\.[cm]?js$/.test(path)) scripts.push(path);
    else yield path;
  }
  yield* scripts;
}

await checkFiles('the distribution', systemBinaries(maxBytes));
await checkFiles('node_modules', modules());
