import { accessSync, constants, existsSync } from 'node:fs';
import { release } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Isolation } from '../../../ports/analyser.ts';
import { bubblewrapArguments, type SandboxOptions } from './bubblewrap.ts';
import type { ControlGroups } from './control-groups.ts';
import { MEMORY_BYTES, THREADS } from './limits.ts';
import { seccompFilter } from './seccomp-filter.ts';

/**
 * The command that starts a worker, through the strongest chain of programs that the machine
 * supports:
 *
 *   nice → setpriv (another user, no new privileges) →
 *   bwrap (no network, no other processes, only our program in the file system, no namespaces,
 *          only the system calls that Node needs) →
 *   prlimit (memory, files, output, threads) →
 *   node --permission (no files, children, threads, addons or network)
 *
 * The pool tries each chain, because a container may have the programs but forbid their system
 * calls.
 */
export interface IsolationChain extends Isolation, WorkerCommand {}

/** What starts the process of a worker. */
export interface WorkerCommand {
  readonly command: readonly string[];
  /** The filter of system calls, which bubblewrap reads. */
  readonly filter?: Buffer | undefined;
  /** Each worker runs in a control group of its own. */
  readonly groups?: ControlGroups | undefined;
}

export interface ChainOptions {
  /** The entry file of the worker. */
  readonly program: string;
  /** Directories that it must be able to read, in addition to our own. */
  readonly readable?: readonly string[] | undefined;
  /** The search path for programs. */
  readonly path: string;
  readonly isRoot: boolean;
  /** The release of the kernel; tests pass their own. */
  readonly kernelRelease?: string | undefined;
}

const HEAP_MIB = 512;
const MAX_OPEN_FILES = 64;
/** The stack of the first thread, which `--data` does not count. The default of most systems. */
const STACK_BYTES = 8 * 1024 * 1024;
/** Total processor seconds. A worker is replaced long before, unless its parent is gone. */
const CPU_SECONDS = 36_000;
/**
 * Outside of a user namespace, and on kernels before 5.14, the kernel counts all processes and
 * threads of the user, including those of other workers. The limit is far above need, and only set
 * if the workers have a user of their own.
 */
const MAX_PROCESSES_OF_USER = 4096;
/** `nobody` on all common systems. */
const NOBODY_UID = '65534';
const NICENESS = '19';

const LACKS = {
  bwrap:
    'bubblewrap: samples are parsed in processes that see the network and the file system, and can make any system call',
  setpriv: 'setpriv: samples are parsed as the user of the service',
  prlimit: 'prlimit: the memory of a worker is not limited by the kernel',
} as const;
const LACKS_FILTER = 'seccomp: samples are parsed in processes that can make any system call';

type Launcher = keyof typeof LACKS;

/** Bubblewrap before 0.8 cannot disable namespaces, and a setuid one may not be able to. */
interface Sandbox extends Pick<SandboxOptions, 'users'> {
  readonly filter?: Buffer | undefined;
  /** Only threads of the worker count, so the limit can be low. */
  readonly limitsThreads: boolean;
}

function nameOf(launcher: Launcher, { isRoot }: ChainOptions, sandbox?: Sandbox): string {
  const names: Readonly<Record<Launcher, string>> = {
    bwrap: 'bubblewrap (no network, own file system and processes)',
    // Only root may change its user.
    setpriv: `setpriv (${isRoot ? 'another user, ' : ''}no new privileges)`,
    prlimit: `prlimit (memory, files, output${sandbox?.limitsThreads ? ', threads' : ''})`,
  };
  return names[launcher];
}

/** All chains of installed programs, strongest first; the last one needs only Node. */
export function isolationChains(options: ChainOptions): readonly IsolationChain[] {
  const found = (Object.keys(LACKS) as Launcher[]).filter((launcher) =>
    findProgram(launcher, options),
  );
  const combinations: readonly Launcher[][] = [
    ['bwrap', 'setpriv', 'prlimit'],
    ['bwrap', 'prlimit'],
    ['bwrap'],
    ['setpriv', 'prlimit'],
    ['prlimit'],
    ['setpriv'],
    [],
  ];
  const possible = combinations.filter((launchers) =>
    launchers.every((launcher) => found.includes(launcher)),
  );
  return possible.flatMap((launchers) =>
    launchers.includes('bwrap')
      ? sandboxes(options).map((sandbox) => chainOf(launchers, options, sandbox))
      : [chainOf(launchers, options)],
  );
}

/** From the strongest to one that a restricted container or an old system supports. */
function sandboxes({ kernelRelease = release() }: ChainOptions): readonly Sandbox[] {
  const filter = seccompFilter(process.arch);
  const limitsThreads = countsThreadsByNamespace(kernelRelease);
  const filtered: readonly Sandbox[] = [
    { users: 'own, no further', filter, limitsThreads },
    { users: 'own', filter, limitsThreads },
    { users: 'own if possible', filter, limitsThreads: false },
  ];
  const unfiltered: readonly Sandbox[] = [
    { users: 'own, no further', limitsThreads: false },
    { users: 'own if possible', limitsThreads: false },
  ];
  return filter === undefined ? unfiltered : [...filtered, ...unfiltered];
}

/** Since Linux 5.14, `RLIMIT_NPROC` in a user namespace counts that namespace alone. */
function countsThreadsByNamespace(kernelRelease: string): boolean {
  const [major = 0, minor = 0] = kernelRelease.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}

function chainOf(
  launchers: readonly Launcher[],
  options: ChainOptions,
  sandbox?: Sandbox,
): IsolationChain {
  const has = (launcher: Launcher) => launchers.includes(launcher);
  const missing = (Object.keys(LACKS) as Launcher[]).filter((launcher) => !has(launcher));
  const lacksFilter = sandbox !== undefined && sandbox.filter === undefined;
  return {
    command: [
      ...invocation('nice', ['-n', NICENESS], options),
      ...(has('setpriv') ? invocation('setpriv', setprivArguments(options), options) : []),
      ...(sandbox === undefined
        ? []
        : invocation('bwrap', sandboxArguments(sandbox, has('prlimit'), options), options)),
      ...(has('prlimit')
        ? invocation('prlimit', prlimitArguments(maxProcesses(has, options, sandbox)), options)
        : []),
      process.execPath,
      ...nodeOptions(options),
      options.program,
    ],
    filter: sandbox?.filter,
    tier: tierOf(launchers),
    means: [
      ...launchers.map((launcher) => nameOf(launcher, options, sandbox)),
      ...(sandbox?.filter === undefined ? [] : ['seccomp (only the system calls of Node)']),
      'permission model of Node',
    ],
    lacks: [...missing.map((launcher) => LACKS[launcher]), ...(lacksFilter ? [LACKS_FILTER] : [])],
  };
}

function tierOf(launchers: readonly Launcher[]): Isolation['tier'] {
  if (launchers.includes('bwrap')) return 'sandbox';
  return launchers.includes('prlimit') ? 'limits' : 'runtime';
}

/** The same chain, with each worker in a control group. */
export function withGroups(chain: IsolationChain, groups: ControlGroups): IsolationChain {
  const tier = chain.tier === 'sandbox' ? 'full' : chain.tier;
  return { ...chain, groups, tier, means: [...chain.means, 'control group (memory, threads)'] };
}

function maxProcesses(
  has: (launcher: Launcher) => boolean,
  { isRoot }: ChainOptions,
  sandbox?: Sandbox,
): number | undefined {
  if (sandbox?.limitsThreads) return THREADS;
  return isRoot && has('setpriv') ? MAX_PROCESSES_OF_USER : undefined;
}

function setprivArguments({ isRoot }: ChainOptions): string[] {
  const user = ['--reuid', NOBODY_UID, '--regid', NOBODY_UID, '--clear-groups'];
  return [...(isRoot ? user : []), '--no-new-privs', '--pdeathsig', 'KILL', '--'];
}

function prlimitArguments(processes: number | undefined): string[] {
  return [
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    `--data=${MEMORY_BYTES}`,
    `--stack=${STACK_BYTES}`,
    `--cpu=${CPU_SECONDS}`,
    `--nofile=${MAX_OPEN_FILES}`,
    '--fsize=0',
    '--core=0',
    '--',
  ];
}

/** Mounts the libraries that Node needs, Node itself, our program, and `prlimit`. */
function sandboxArguments(
  { users, filter }: Sandbox,
  runsPrlimit: boolean,
  options: ChainOptions,
): string[] {
  const prlimit = runsPrlimit ? findProgram('prlimit', options) : undefined;
  return bubblewrapArguments({
    mounted: [
      process.execPath,
      ...ourFolders(options),
      ...(prlimit === undefined ? [] : [prlimit]),
    ],
    users,
    hasFilter: filter !== undefined,
  });
}

function nodeOptions(options: ChainOptions): string[] {
  return [
    '--permission',
    ...ourFolders(options).map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${HEAP_MIB}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ];
}

/** Our source, `package.json`, and every `node_modules` from there up. */
function ourFolders({ readable = [] }: ChainOptions): readonly string[] {
  const source = dirname(fileURLToPath(new URL('../..', import.meta.url)));
  const folders = [source, ...readable];
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    for (const name of ['package.json', 'node_modules']) {
      const path = join(folder, name);
      if (existsSync(path)) folders.push(path);
    }
    if (folder === dirname(folder)) return folders;
  }
}

/** The program with its arguments, or nothing if it is not installed. */
function invocation(
  program: string,
  programArguments: readonly string[],
  options: ChainOptions,
): readonly string[] {
  const file = findProgram(program, options);
  return file === undefined ? [] : [file, ...programArguments];
}

/** The absolute path, since the worker is not started with our search path. */
function findProgram(program: string, { path }: ChainOptions): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
