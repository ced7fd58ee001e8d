import { randomFillSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { HIDDEN_NEEDLES, searchXored } from '../../src/analysis/codecs/xor-search.ts';
import { type Engine, openEngine } from '../../src/analysis/engine.ts';
import { extractors } from '../../src/analysis/extractors/index.ts';
import { xorHits } from '../../src/analysis/extractors/xor-needles.ts';
import { parseDotnet } from '../../src/analysis/formats/dotnet/file.ts';
import { parseElf } from '../../src/analysis/formats/elf/file.ts';
import { formats } from '../../src/analysis/formats/index.ts';
import { parsePe } from '../../src/analysis/formats/pe/pe.ts';
import { loadRuleSources } from '../../src/analysis/rules/rule-files.ts';
import { Subject } from '../../src/analysis/subject.ts';
import { fixture } from '../../test/analysis/fixture.ts';
import { median, Verdicts } from '../verdicts.ts';

/**
 * Measures the cost of the extractors on files without family settings: CPU time of the analysis of
 * 10 MB with all extractors, divided by that without any, alternating in one run. The search for
 * strings under single-byte XOR is one pass that every file gets; the needles that families add to
 * that pass count as cost of the extractors.
 */
const SIZE_BYTES = 10_000_000;
const XOR_BYTES = 100_000_000;
const ROUNDS = 5;
const MAX_RATIO = 1.3;
const MIN_XOR_MB_S = 100;
const verdicts = new Verdicts();

const noise = randomFillSync(Buffer.alloc(XOR_BYTES));

/**
 * A file of `SIZE_BYTES` that starts with `beginning` and continues with code, strings and noise.
 */
function fileOf(beginning: Buffer): Buffer {
  const parts = [beginning];
  const program = fixture('analysis/pe/library');
  for (let size = beginning.length; size < SIZE_BYTES; size += program.length + 50_000)
    parts.push(program.subarray(0x400), noise.subarray(size, size + 50_000));
  return Buffer.concat(parts).subarray(0, SIZE_BYTES);
}

/**
 * The class library of Mono, if installed. It defines the names that `matches` of most extractors
 * checks, so nearly all of them go on to parse it.
 */
const MONO = '/usr/lib/mono/4.5/mscorlib.dll';
const MONO_NAME = 'the library of mono';
const MAX_MONO_RATIO = 2;

const FILES: Readonly<Record<string, Buffer>> = {
  ...(existsSync(MONO) && { [MONO_NAME]: readFileSync(MONO) }),
  '10 MB of data': fileOf(noise.subarray(0, 1000)),
  '10 MB of noise': noise.subarray(0, SIZE_BYTES),
  'a Windows program of 10 MB': fileOf(fixture('analysis/pe/hello64')),
  'a .NET program of 10 MB': fileOf(fixture('analysis/dotnet/settings')),
  'an ELF program of 10 MB': fileOf(fixture('analysis/elf/hello-x86-64')),
  '10 MB of text': Buffer.from(
    'the quick brown fox jumps over the lazy dog\n'.repeat(230_000),
  ).subarray(0, SIZE_BYTES),
};

/** CPU time, not wall-clock time: other processes may run on the machine. */
async function millisecondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

interface Engines {
  readonly bare: Engine;
  readonly whole: Engine;
}

/** The median ratio of the analysis with extractors to that without. */
async function ratioFor(bytes: Buffer, { bare, whole }: Engines): Promise<number> {
  const file = { bytes, fileName: 'file' };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = await millisecondsOf(() => bare.analyse(file, new Date()));
    const all = await millisecondsOf(() => whole.analyse(file, new Date()));
    const hidden = await millisecondsOf(() => searchXored(bytes, HIDDEN_NEEDLES));
    const needles = await millisecondsOf(() => xorHits(new Subject(bytes, 'file')));
    ratios.push(all / (without - Math.max(needles - hidden, 0)));
  }
  return median(ratios);
}

const { sources } = loadRuleSources();
const engines: Engines = {
  bare: await openEngine(sources, { formats, extractors: [] }),
  whole: await openEngine(sources, { formats, extractors }),
};
console.log(`node ${process.version}, ${extractors.length} extractors`);

for (const [name, bytes] of Object.entries(FILES)) {
  const { report } = await engines.whole.analyse({ bytes, fileName: 'file' }, new Date());
  if (Object.keys(report.configs).length > 0) throw new Error(`${name} has family settings`);
  const ratio = await ratioFor(bytes, engines);
  const limit = name === MONO_NAME ? MAX_MONO_RATIO : MAX_RATIO;
  verdicts.add(`analysis of ${name} with extractors to that without`, ratio, limit, 'less');
}

const rates: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const ms = await millisecondsOf(() => xorHits(new Subject(noise, 'noise')));
  rates.push(XOR_BYTES / 1000 / ms);
}
verdicts.add('search under every XOR key, MB/s', median(rates), MIN_XOR_MB_S, 'more');

/** A subject whose formats are parsed already, as they are when an extractor runs. */
function readSubject(bytes: Buffer): Subject {
  const subject = new Subject(bytes, 'file');
  for (const parser of [parsePe, parseDotnet, parseElf]) subject.as<unknown>(parser);
  xorHits(subject);
  return subject;
}

const subjects = Object.values(FILES).map(readSubject);
let slowest = { family: '', ms: 0 };
for (const extractor of extractors) {
  for (const subject of subjects) {
    const ms = await millisecondsOf(() => extractor.matches(subject));
    if (ms > slowest.ms) slowest = { family: extractor.family, ms };
  }
}
verdicts.add(
  `the slowest first look of an extractor (${slowest.family}), ms`,
  slowest.ms,
  5,
  'less',
);
console.log(`\n${verdicts}`);
