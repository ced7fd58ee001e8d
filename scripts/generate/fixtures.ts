import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findGenerators, GENERATORS } from '../../test/analysis/generators.ts';

/**
 * Regenerates the fixtures of the analysis. Tests need no tools, because the results are committed.
 * A generator whose tools are missing is skipped, and the Debian packages it needs are printed.
 * After a run, review the diff and the golden files (`UPDATE_GOLDEN=1 npm test -- golden`).
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});

const RUNNERS: Readonly<Record<string, string>> = { py: 'python3', sh: 'sh', ts: process.execPath };

/**
 * Programs and their Debian packages. A generator needs those whose program or package it mentions.
 */
const PACKAGES: Readonly<Record<string, string>> = {
  '7z': '7zip',
  'arm-linux-gnueabi-gcc': 'gcc-arm-linux-gnueabi',
  b3sum: 'b3sum',
  bzip2: 'bzip2',
  gcab: 'gcab',
  gcc: 'gcc',
  genisoimage: 'genisoimage',
  'i686-w64-mingw32-gcc': 'gcc-mingw-w64',
  'i686-w64-mingw32-windres': 'binutils-mingw-w64',
  javac: 'default-jdk-headless',
  'llvm-mc': 'llvm',
  makensis: 'nsis',
  mcs: 'mono-mcs',
  'mips-linux-gnu-gcc': 'gcc-mips-linux-gnu',
  mono: 'mono-runtime',
  openssl: 'openssl',
  osslsigncode: 'osslsigncode',
  python3: 'python3',
  readelf: 'binutils',
  ssdeep: 'ssdeep',
  'upx-ucl': 'upx-ucl',
  wixl: 'wixl',
  'x86_64-w64-mingw32-gcc': 'gcc-mingw-w64',
  'x86_64-w64-mingw32-windres': 'binutils-mingw-w64',
  xz: 'xz-utils',
  zip: 'zip',
  zstd: 'zstd',
};

function read(file: string): string {
  return readFileSync(join(GENERATORS, file), 'utf8');
}

/** The text of the modules it imports; it may not use all of their tools. */
function importedText(file: string): string {
  const names = [...read(file).matchAll(/from '(\.\/[^']+)'/g)].map(([, path = '']) => path);
  return names.map((path) => read(join(dirname(file), path))).join('\n');
}

/** Packages of the programs that the text mentions and that are not installed. */
function missingPackages(text: string): readonly string[] {
  const names = (word: string) => new RegExp(`(?<![\\w.-])${word}(?![\\w-])`).test(text);
  const missing = Object.entries(PACKAGES).filter(
    ([program, from]) => (names(program) || names(from)) && !isInstalled(program),
  );
  const packages = new Set(missing.map(([, from]) => from));
  if (text.includes('pefile') && !canImport('python3', 'pefile')) packages.add('python3-pefile');
  const tlshPython = process.env['TLSH_PYTHON'] ?? 'python3';
  if (text.includes('py-tlsh') && !canImport(tlshPython, 'tlsh')) packages.add('py-tlsh (PyPI)');
  return [...packages].sort();
}

function isInstalled(program: string): boolean {
  const name = program === 'upx-ucl' ? (process.env['UPX_PROGRAM'] ?? program) : program;
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0;
}

function canImport(python: string, module: string): boolean {
  return spawnSync(python, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0;
}

function run(file: string): boolean {
  const runner = RUNNERS[file.slice(file.lastIndexOf('.') + 1)] ?? 'sh';
  const { status } = spawnSync(runner, [join(GENERATORS, file)], { stdio: 'inherit' });
  return status === 0;
}

const generators = findGenerators().filter(
  (file) => positionals.length === 0 || positionals.some((word) => file.includes(word)),
);

for (const file of generators) {
  const missing = missingPackages(read(file));
  const optional = missingPackages(importedText(file));
  if (missing.length > 0) {
    console.log(`skipped ${file}: install ${missing.join(', ')}`);
    process.exitCode = 1;
  } else if (values.list) {
    console.log(`ready   ${file}${optional.length > 0 ? `, may need ${optional.join(', ')}` : ''}`);
  } else if (run(file)) console.log(`made    ${file}`);
  else {
    console.error(
      `FAILED  ${file}${optional.length > 0 ? `, may need ${optional.join(', ')}` : ''}`,
    );
    process.exitCode = 1;
  }
}
if (generators.length === 0) {
  console.error('no generator matches');
  process.exitCode = 1;
}
