import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Isolation } from '../../ports/analyser.ts';

/**
 * How a worker is started: through the strongest chain that the machine offers.
 *
 *   nice → setpriv (another user, no new privileges) → prlimit (memory, files, output, processes) →
 *   bwrap (no network, no processes of others, nothing of the file system but our own program, no namespaces inside) →
 *   node --permission (no files, children, threads, addons or network)
 *
 * Which links hold is found out by trying: a container may have the programs and forbid what they do.
 */
export interface Chain extends Isolation {
  readonly command: readonly string[];
}

export interface ChainOptions {
  /** The worker's own file. */
  readonly program: string;
  /** Folders that it must be able to read besides our own. */
  readonly readable?: readonly string[] | undefined;
  /** Where programs are looked for; that of this process by default. */
  readonly path: string;
  readonly isRoot: boolean;
}

/** Buffers and WebAssembly lie outside of the heap that Node can limit; the kernel counts them. */
const DATA_BYTES = 1536 * 1024 * 1024;
const HEAP_MIB = 512;
const OPEN_FILES = 64;
/** Seconds of processor time in all: a worker is replaced long before, unless nobody is left to do it. */
const CPU_SECONDS = 36_000;
/**
 * Against a worker that multiplies. Kernels before 5.14 count all processes and threads of the user, those of the other
 * workers too (a dozen each), so it is far above what they need; and it is set where the user is one of its own.
 */
const PROCESSES = 4096;
/** `nobody`, on every system that we know. */
const OTHER_USER = '65534';
const NICENESS = '19';

const LACKS = {
  bwrap: 'bubblewrap: samples are parsed in processes that see the network and the file system',
  setpriv: 'setpriv: samples are parsed as the user of the service',
  prlimit: 'prlimit: the memory of a worker is not limited by the kernel',
} as const;

type Link = keyof typeof LACKS;

function nameOf(link: Link, { isRoot }: ChainOptions): string {
  const names: Readonly<Record<Link, string>> = {
    bwrap: 'bubblewrap (no network, own file system and processes)',
    // Only the superuser may become another.
    setpriv: `setpriv (${isRoot ? 'another user, ' : ''}no new privileges)`,
    prlimit: 'prlimit (memory, files, output)',
  };
  return names[link];
}

/** All chains of what is installed, the strongest first; the last needs nothing but Node. */
export function chains(wish: ChainOptions): readonly Chain[] {
  const found = (Object.keys(LACKS) as Link[]).filter((link) => find(link, wish));
  const combinations: readonly Link[][] = [
    ['bwrap', 'setpriv', 'prlimit'],
    ['bwrap', 'prlimit'],
    ['bwrap'],
    ['setpriv', 'prlimit'],
    ['prlimit'],
    ['setpriv'],
    [],
  ];
  const possible = combinations.filter((links) => links.every((link) => found.includes(link)));
  // Bubblewrap before 0.8 does not know how to forbid namespaces, and where it is the superuser's it may be unable to.
  return possible.flatMap((links) =>
    links.includes('bwrap')
      ? [chainOf(links, wish, NO_NAMESPACES), chainOf(links, wish)]
      : [chainOf(links, wish)],
  );
}

/** Inside of a namespace of its own a process is its superuser, and can reach more of the kernel. */
const NO_NAMESPACES = ['--unshare-user', '--disable-userns'];

function chainOf(
  links: readonly Link[],
  wish: ChainOptions,
  bwrapWords: readonly string[] = [],
): Chain {
  const has = (link: Link) => links.includes(link);
  return {
    command: [
      ...call('nice', ['-n', NICENESS], wish),
      ...(has('setpriv') ? call('setpriv', otherUser(wish), wish) : []),
      ...(has('prlimit') ? call('prlimit', limits(wish.isRoot && has('setpriv')), wish) : []),
      ...(has('bwrap') ? call('bwrap', [...bwrapWords, ...ownWorld(wish)], wish) : []),
      process.execPath,
      ...nodeOptions(wish),
      wish.program,
    ],
    means: [...links.map((link) => nameOf(link, wish)), 'permission model of Node'],
    lacks: (Object.keys(LACKS) as Link[])
      .filter((link) => !links.includes(link))
      .map((link) => LACKS[link]),
  };
}

function otherUser({ isRoot }: ChainOptions): string[] {
  const user = ['--reuid', OTHER_USER, '--regid', OTHER_USER, '--clear-groups'];
  return [...(isRoot ? user : []), '--no-new-privs', '--pdeathsig', 'KILL', '--'];
}

function limits(isOtherUser: boolean): string[] {
  return [
    ...(isOtherUser ? [`--nproc=${PROCESSES}`] : []),
    `--data=${DATA_BYTES}`,
    `--cpu=${CPU_SECONDS}`,
    `--nofile=${OPEN_FILES}`,
    '--fsize=0',
    '--core=0',
    '--',
  ];
}

/** Of the file system it sees the libraries that Node needs, Node, and our own program: all of it read-only. */
function ownWorld(wish: ChainOptions): string[] {
  const seen = [process.execPath, ...ourFolders(wish)];
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
    ...seen.flatMap((path) => ['--ro-bind', path, path]),
    '--proc',
    '/proc',
    // What it stands on lies in memory that no limit of the process counts.
    '--remount-ro',
    '/',
    '--',
  ];
}

function nodeOptions(wish: ChainOptions): string[] {
  return [
    '--permission',
    ...ourFolders(wish).map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${HEAP_MIB}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ];
}

/** Our own source, what describes the package, and every folder of packages on the way up from it. */
function ourFolders({ readable = [] }: ChainOptions): readonly string[] {
  const source = dirname(fileURLToPath(new URL('..', import.meta.url)));
  const folders = [source, ...readable];
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    for (const name of ['package.json', 'node_modules']) {
      const path = join(folder, name);
      if (existsSync(path)) folders.push(path);
    }
    if (folder === dirname(folder)) return folders;
  }
}

/** The program with its words, if it is installed. */
function call(program: string, words: readonly string[], wish: ChainOptions): readonly string[] {
  const file = find(program, wish);
  return file === undefined ? [] : [file, ...words];
}

/** Where it lies: the worker is not started with our own search path. */
function find(program: string, { path }: ChainOptions): string | undefined {
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
