import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/cross-check/', import.meta.url));
const INSTALL_TIMEOUT_MS = 300_000;

/** The pinned packages and their versions. */
export function pinnedVersions(): ReadonlyMap<string, string> {
  const lines = readFileSync(REQUIREMENTS, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => line.split('==') as [string, string]));
}

/**
 * A Python with the packages: that of `CROSS_CHECK_PYTHON`, or of a virtual environment, which is
 * made at the first run and anew if the versions change. `undefined` without Python.
 */
export function findPython(): string | undefined {
  const named = process.env['CROSS_CHECK_PYTHON'];
  if (named !== undefined && named !== '') return named;
  const folder = join(CACHE, hash('sha256', readFileSync(REQUIREMENTS)).slice(0, 16));
  const python = join(folder, 'bin/python');
  const isComplete = join(folder, 'complete');
  if (existsSync(isComplete)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  if (!run('python3', ['-m', 'venv', folder])) return undefined;
  const pins = [...pinnedVersions()].map(([name, version]) => `${name}==${version}`);
  // One by one: a package that cannot be installed must not prevent the others.
  const installed = pins.map((pin) => {
    console.log(`installing ${pin}`);
    return run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', pin]);
  });
  if (installed.every(Boolean)) writeFileSync(isComplete, '');
  return python;
}

function run(program: string, options: readonly string[]): boolean {
  try {
    execFileSync(program, options, { stdio: 'inherit', timeout: INSTALL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}
