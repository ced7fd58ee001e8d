import { matchesGlob } from 'node:path';

/** Hot tags of ordinary files that are right, or that no rule can separate. */
export interface Exception {
  /** A glob of `<registry>/<package>/<path>`. */
  readonly files: string;
  readonly tags: readonly string[];
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    files: 'PyPI/debugpy/**/inject_dll_*.exe',
    tags: ['PROCESS_INJECTION'],
    reason: 'Starts a library in the process to debug: the tag is right',
  },
  {
    files: 'PyPI/debugpy/**/winappdbg/win32/kernel32.py',
    tags: ['SHELLCODE_LOADER'],
    reason: 'Declares the functions for a debugger in the lines that a loader declares them in',
  },
  {
    files: 'PyPI/pymem/**/*.py',
    tags: ['SHELLCODE_LOADER'],
    reason: 'Allocates memory in a process and starts a thread there: the tag is right',
  },
  {
    files: '*/*impacket/**/wmipersist.py',
    tags: ['PERSISTENCE_WMI'],
    reason: 'An example that installs a subscription of WMI: the tag is right',
  },
  {
    files: 'PyPI/oletools/**/olevba.py',
    tags: ['SCRIPT_DROPPER'],
    reason: 'Lists the keywords that it searches for in macros',
  },
];

export function exceptionFor(name: string, tag: string): Exception | undefined {
  return EXCEPTIONS.find(({ files, tags }) => tags.includes(tag) && matchesGlob(name, files));
}
