import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The version before this one, as a commit. Moved forward with each release. It knows nothing of
 * the table `admission`.
 */
const OLDER_COMMIT = '514ae4df5850ce2d01507e298ba3336d87c98411';

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));
/** What the program needs, besides its packages. */
const PARTS = ['bin', 'src', 'migrations', 'rules', 'package.json'];
const PARTS_OF_THIS = [...PARTS, 'directory', 'lists'];

/** Another version of the program. */
export interface Program {
  readonly entry: string;
  remove(): void;
}

/** Why the older version cannot be started here; `false` if it can. */
export function whyNoOlder(): string | false {
  try {
    git('cat-file', '-e', `${OLDER_COMMIT}^{commit}`);
    return false;
  } catch {
    return `the commit ${OLDER_COMMIT.slice(0, 8)} of the older version is not in this clone`;
  }
}

export function olderProgram(): Program {
  const folder = newFolder();
  const archive = git('archive', '--format=tar', OLDER_COMMIT, ...PARTS);
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  leaveOutReference(folder);
  return programIn(folder);
}

/** The older version shows its reference page with a package that this one does not install. */
function leaveOutReference(folder: string): void {
  const name = '@fastify/swagger-ui';
  const modules = join(folder, 'src', 'node_modules', name);
  mkdirSync(join(modules, 'static'), { recursive: true });
  const exports = './index.js';
  writeFileSync(join(modules, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
  writeFileSync(join(modules, 'index.js'), 'export default async () => {};\n');
}

/** This version with a further migration, which older nodes must not outlive. */
export function newerProgram(): Program {
  const folder = newFolder();
  for (const part of PARTS_OF_THIS)
    cpSync(join(CHECKOUT, part), join(folder, part), { recursive: true });
  for (const dialect of ['sqlite', 'postgres'])
    writeFileSync(
      join(folder, 'migrations', dialect, '9999-of-tomorrow.sql'),
      '-- older nodes: must stop\ncreate table tomorrow (id integer primary key);\n',
    );
  return programIn(folder);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-program-'));
  mkdirSync(join(folder, 'web'));
  symlinkSync(join(CHECKOUT, 'web', 'dist'), join(folder, 'web', 'dist'));
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function programIn(folder: string): Program {
  return {
    entry: join(folder, 'src', 'cli', 'rapsheet.ts'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function git(...words: readonly string[]): Buffer {
  return execFileSync('git', words, {
    cwd: CHECKOUT,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 29,
  });
}
