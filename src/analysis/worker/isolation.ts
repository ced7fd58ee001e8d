import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Isolation } from '../../ports/analyser.ts';

/**
 * The command that starts a worker, through the strongest chain of programs that the machine
 * supports:
 *
 *   nice → setpriv (another user, no new privileges) →
 *   prlimit (memory, files, output, processes) →
 *   bwrap (no network, no other processes, only our program in the file system, no namespaces) →
 *   node --permission (no files, children, threads, addons or network)
 *
 * The pool tries each chain, because a container may have the programs but forbid their system
 * calls.
 */
export interface IsolationChain extends Isolation {
  readonly command: readonly string[];
}

export interface ChainOptions {
  /** The entry file of the worker. */
  readonly program: string;
  /** A module that Node loads before it. */
  readonly preload?: string | undefined;
  /** Directories that it must be able to read, in addition to our own. */
  readonly readable?: readonly string[] | undefined;
  /** The search path for programs. */
  readonly path: string;
  readonly isRoot: boolean;
}

/**
 * Buffers and WebAssembly memory are outside the heap that Node can limit; the kernel counts them.
 */
const DATA_BYTES = 1536 * 1024 * 1024;
const HEAP_MIB = 512;
const MAX_OPEN_FILES = 64;
/** Total processor seconds. A worker is replaced long before, unless its parent is gone. */
const CPU_SECONDS = 36_000;
/**
 * Limits a worker that forks. Kernels before 5.14 count all processes and threads of the user,
 * including those of other workers (a dozen each), so the limit is far above need. It is only set
 * if the workers have a user of their own.
 */
const MAX_PROCESSES = 4096;
/** `nobody` on all common systems. */
const NOBODY_UID = '65534';
const NICENESS = '19';

const LACKS = {
  bwrap: 'bubblewrap: samples are parsed in processes that see the network and the file system',
  setpriv: 'setpriv: samples are parsed as the user of the service',
  prlimit: 'prlimit: the memory of a worker is not limited by the kernel',
} as const;

type Launcher = keyof typeof LACKS;

function nameOf(launcher: Launcher, { isRoot }: ChainOptions): string {
  const names: Readonly<Record<Launcher, string>> = {
    bwrap: 'bubblewrap (no network, own file system and processes)',
    // Only root may change its user.
    setpriv: `setpriv (${isRoot ? 'another user, ' : ''}no new privileges)`,
    prlimit: 'prlimit (memory, files, output)',
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
  // Bubblewrap before 0.8 cannot disable namespaces, and a setuid bubblewrap may not be able to.
  return possible.flatMap((launchers) =>
    launchers.includes('bwrap')
      ? [chainOf(launchers, options, NO_NAMESPACES), chainOf(launchers, options)]
      : [chainOf(launchers, options)],
  );
}

/** In a new user namespace a process is root, and reaches more of the kernel. */
const NO_NAMESPACES = ['--unshare-user', '--disable-userns'];

function chainOf(
  launchers: readonly Launcher[],
  options: ChainOptions,
  extraBwrapArguments: readonly string[] = [],
): IsolationChain {
  const has = (launcher: Launcher) => launchers.includes(launcher);
  return {
    command: [
      ...invocation('nice', ['-n', NICENESS], options),
      ...(has('setpriv') ? invocation('setpriv', setprivArguments(options), options) : []),
      ...(has('prlimit')
        ? invocation('prlimit', prlimitArguments(options.isRoot && has('setpriv')), options)
        : []),
      ...(has('bwrap')
        ? invocation('bwrap', [...extraBwrapArguments, ...bwrapArguments(options)], options)
        : []),
      process.execPath,
      ...nodeOptions(options),
      options.program,
    ],
    means: [...launchers.map((launcher) => nameOf(launcher, options)), 'permission model of Node'],
    lacks: (Object.keys(LACKS) as Launcher[])
      .filter((launcher) => !launchers.includes(launcher))
      .map((launcher) => LACKS[launcher]),
  };
}

function setprivArguments({ isRoot }: ChainOptions): string[] {
  const user = ['--reuid', NOBODY_UID, '--regid', NOBODY_UID, '--clear-groups'];
  return [...(isRoot ? user : []), '--no-new-privs', '--pdeathsig', 'KILL', '--'];
}

function prlimitArguments(isOtherUser: boolean): string[] {
  return [
    ...(isOtherUser ? [`--nproc=${MAX_PROCESSES}`] : []),
    `--data=${DATA_BYTES}`,
    `--cpu=${CPU_SECONDS}`,
    `--nofile=${MAX_OPEN_FILES}`,
    '--fsize=0',
    '--core=0',
    '--',
  ];
}

/** Mounts, read-only: the libraries that Node needs, Node itself, and our program. */
function bwrapArguments(options: ChainOptions): string[] {
  const mounted = [process.execPath, ...ourFolders(options)];
  return [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--clearenv',
    ...['/lib', '/lib64', '/usr/lib', '/usr/lib64'].flatMap((path) => [
      '--ro-bind-try',
      path,
      path,
    ]),
    ...mounted.flatMap((path) => ['--ro-bind', path, path]),
    '--proc',
    '/proc',
    // The root is a tmpfs, whose memory no limit of the process counts.
    '--remount-ro',
    '/',
    '--',
  ];
}

function nodeOptions(options: ChainOptions): string[] {
  return [
    '--permission',
    ...ourFolders(options).map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${HEAP_MIB}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    ...(options.preload === undefined ? [] : [`--import=${pathToFileURL(options.preload)}`]),
  ];
}

/** Our source, `package.json`, and every `node_modules` from there up. */
function ourFolders({ readable = [], preload }: ChainOptions): readonly string[] {
  const source = dirname(fileURLToPath(new URL('..', import.meta.url)));
  const folders = [source, ...readable, ...(preload === undefined ? [] : [preload])];
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
