import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run, whyNo } from '../../test/exports/validators/tool.ts';
import type { Source } from './client.ts';

/** The interpreter with the packages of `requirements.txt`. */
export const PYTHON = process.env['TEST_PYTHON'] ?? 'python3';

/** The version is the first number with a dot that the program prints. */
export function program(name: string, ...versionOption: readonly string[]): Source {
  return {
    lacks: () => whyNo(name) || undefined,
    version: () =>
      versionIn(run(name, ...(versionOption.length > 0 ? versionOption : ['--version'])).output),
  };
}

/** A package of Python, by its name in the registry. */
export function pythonPackage(name: string, python = PYTHON): Source {
  const code = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}))`;
  const installed = () => spawnSync(python, ['-c', code], { encoding: 'utf8' });
  return {
    lacks: () =>
      installed().status === 0 ? undefined : `the Python package ${name} is not installed`,
    version: () => installed().stdout.trim(),
  };
}

/** A command of a package of Python. */
export function pythonProgram(name: string): string {
  return PYTHON.includes('/') ? join(dirname(PYTHON), name) : name;
}

/** Packages of npm, which are installed into a folder of their own. */
const NPM_PACKAGES: Readonly<Record<string, string>> = {
  '@ghostery/adblocker': '2.18.2',
  eventsource: '5.1.4',
  'eventsource-client': '1.2.0',
};

let npmFolder: string | undefined;
let npmProblem: string | undefined;

/** The folder whose `node_modules` has the packages. They are installed at the first call. */
export function installNpmPackages(): string {
  if (npmFolder !== undefined) return npmFolder;
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-clients-npm-'));
  npmFolder = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const packages = Object.entries(NPM_PACKAGES).map(([name, version]) => `${name}@${version}`);
  const { status } = spawnSync(
    'npm',
    ['install', '--no-fund', '--no-audit', '--ignore-scripts', '--prefix', folder, ...packages],
    { timeout: 120_000 },
  );
  if (status !== 0) npmProblem = 'npm cannot install it';
  return folder;
}

export function npmPackage(name: keyof typeof NPM_PACKAGES): Source {
  return {
    lacks: () => {
      installNpmPackages();
      return npmProblem;
    },
    version: () => NPM_PACKAGES[name] ?? '',
  };
}

function versionIn(output: string): string {
  return /\d+\.\d+(?:\.\d+)*/.exec(output)?.[0] ?? 'unknown';
}
