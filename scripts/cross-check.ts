import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEngine } from '../src/analysis/engine.ts';
import { loadRuleSources } from '../src/analysis/rules/rule-files.ts';
import { fixture } from '../test/analysis/fixture.ts';
import { type Comparison, checkExceptions, compareSettings } from './cross-check/compare.ts';
import { findPython, pinnedVersions } from './cross-check/environment.ts';
import { EXCEPTIONS } from './cross-check/exceptions.ts';
import { type Family, familyOf } from './cross-check/families.ts';
import { crossCheckPage, isPageCurrent, PAGE, writePage } from './cross-check/page.ts';
import { PARSERS, type Parser } from './cross-check/parsers.ts';
import { type ParserResult, runParser } from './cross-check/run-parser.ts';
import { ownSettings, type Settings } from './cross-check/settings.ts';

/**
 * Runs parsers of others over the fixtures and compares their settings with those of the engine. A
 * difference that `cross-check/exceptions.ts` does not list fails, and so does an exception that no
 * longer occurs. Parsers that cannot be installed are skipped. With all of them, the page of the
 * results must be up to date; `--write` writes it.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const FIXTURES = fileURLToPath(new URL('../test/fixtures/analysis/families/', import.meta.url));
const ENDING = '.in.gz.b64';

const folder = mkdtempSync(join(tmpdir(), 'cross-check-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const python = findPython();

interface Sample {
  readonly name: string;
  readonly family: Family;
  /** The unpacked file. */
  readonly path: string;
  readonly own: Settings;
}

let passed = 0;
let failed = 0;
let skipped = 0;

function fail(text: string): void {
  failed += 1;
  console.log(`FAILED: ${text}`);
}

/** Unpacks the fixtures of known families and analyses them. */
async function readSamples(): Promise<readonly Sample[]> {
  const engine = await openEngine(loadRuleSources().sources);
  const samples: Sample[] = [];
  for (const file of globSync(`*${ENDING}`, { cwd: FIXTURES }).toSorted()) {
    const name = basename(file, ENDING);
    const family = familyOf(name);
    if (family === undefined) continue;
    const bytes = fixture(`analysis/families/${name}`);
    const path = join(folder, name);
    writeFileSync(path, bytes, { mode: 0o600 });
    const analysis = await engine.analyse({ bytes, fileName: name }, new Date());
    samples.push({ name, family, path, own: ownSettings(analysis, family.tag) });
  }
  return samples;
}

function resultOf(parser: Parser, samples: readonly Sample[]): ParserResult {
  if (python === undefined) return { kind: 'skipped', reason: 'Python with venv is missing' };
  return runParser({
    driver: parser.driver,
    version: pinnedVersions().get(parser.package) ?? '',
    python,
    folder,
    jobs: samples.map(({ path, family }) => ({
      file: path,
      entry: parser.entryOf(family.name) ?? '',
    })),
  });
}

/** The comparisons with one parser; none if it did not run. */
function compareWith(parser: Parser, samples: readonly Sample[]): readonly Comparison[] {
  const known = samples.filter(({ family }) => parser.entryOf(family.name) !== undefined);
  const result = resultOf(parser, known);
  if (result.kind === 'failed') fail(`${parser.name}: ${result.reason}`);
  if (result.kind === 'skipped') {
    skipped += 1;
    console.log(`skipped: ${parser.name}, ${result.reason}`);
  }
  if (result.kind !== 'finished') return [];
  return known.map(({ name, family, path, own }) => {
    const answer = result.answers.get(path);
    const theirs = answer && parser.settingsOf(answer, family.name);
    return {
      parser: parser.name,
      family: family.name,
      fixture: name,
      ...compareSettings(own, theirs),
    };
  });
}

function report(comparisons: readonly Comparison[]): void {
  const { unexplained, stale } = checkExceptions(comparisons, EXCEPTIONS);
  for (const { parser, fixture: name, differences } of unexplained) {
    const lines = differences.map(({ kind, field = 'the file', own, theirs }) =>
      [
        `  ${field}: ${kind}`,
        ...own.map((one) => `    ours: ${one}`),
        ...theirs.map((one) => `    theirs: ${one}`),
      ].join('\n'),
    );
    fail([`${parser}, ${name}`, ...lines].join('\n'));
  }
  for (const name of stale) fail(`the exception no longer occurs: ${name}`);
  passed += comparisons.length - unexplained.length;
}

function checkPage(comparisons: readonly Comparison[]): void {
  const page = crossCheckPage(comparisons, EXCEPTIONS);
  console.log(page.table);
  if (skipped > 0 || failed > 0) return;
  if (values.write) writePage(page.text);
  else if (!isPageCurrent(page.text)) fail(`${PAGE} is out of date: run with --write`);
}

const samples = await readSamples();
const comparisons = PARSERS.flatMap((parser) => compareWith(parser, samples));
report(comparisons);
checkPage(comparisons);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
