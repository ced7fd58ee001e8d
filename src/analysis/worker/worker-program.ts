import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAM = 'src/analysis/worker/worker';

interface WorkerProgram {
  readonly program: string;
  /** The folder of the program, if it is not among our sources. */
  readonly readable: readonly string[];
}

/**
 * The entry file of a worker. `npm ci` compiles it and its 260 modules to `build`, because Node
 * takes 0.6 s of processor time to load them with types, and 0.2 s without; its compile cache needs
 * write access, which a worker does not have. The published package contains JavaScript already. If
 * the compiled files are absent or outdated, the sources are used.
 */
export function workerProgram(root = ROOT): WorkerProgram {
  const build = join(root, 'build');
  if (import.meta.url.endsWith('.js'))
    return { program: join(root, `${PROGRAM}.js`), readable: [] };
  if (!isCurrent(root, build)) return { program: join(root, `${PROGRAM}.ts`), readable: [] };
  return { program: join(build, `${PROGRAM}.js`), readable: [build] };
}

/** Whether each module was compiled after the last change of its source. */
function isCurrent(root: string, build: string): boolean {
  if (!existsSync(join(build, `${PROGRAM}.js`))) return false;
  const modules = readdirSync(build, { recursive: true, encoding: 'utf8' });
  return modules
    .filter((path) => path.endsWith('.js'))
    .every((path) => {
      const source = statSync(join(root, path.replace(/js$/, 'ts')), { throwIfNoEntry: false });
      return source !== undefined && source.mtimeMs <= statSync(join(build, path)).mtimeMs;
    });
}
