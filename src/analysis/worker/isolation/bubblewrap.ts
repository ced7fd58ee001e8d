/** What bubblewrap mounts for a worker, and how. */
export interface SandboxOptions {
  /** Folders and files that the worker reads. */
  readonly mounted: readonly string[];
  /** Whether the worker is in a user namespace of its own, and may create further ones. */
  readonly users: 'own' | 'own, no further' | 'own if possible';
  readonly hasFilter: boolean;
}

/** The descriptor from which bubblewrap reads the filter of system calls. */
export const FILTER_FD = 4;

const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];

/**
 * The arguments of bubblewrap: no network, no other processes, and only what is mounted, read-only.
 * Bubblewrap loads the filter right before it executes the worker, so the filter has to allow
 * nothing of its own setup.
 */
export function bubblewrapArguments({ mounted, users, hasFilter }: SandboxOptions): string[] {
  return [
    ...(users === 'own if possible' ? [] : ['--unshare-user']),
    // In a new user namespace a process is root, and reaches more of the kernel.
    ...(users === 'own, no further' ? ['--disable-userns'] : []),
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--clearenv',
    // The rings of libuv are shared memory, and a large part of the kernel.
    '--setenv',
    'UV_USE_IO_URING',
    '0',
    ...LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path]),
    ...mounted.flatMap((path) => ['--ro-bind', path, path]),
    '--proc',
    '/proc',
    // The root is a tmpfs, whose memory no limit of the process counts.
    '--remount-ro',
    '/',
    ...(hasFilter ? ['--seccomp', `${FILTER_FD}`] : []),
    '--',
  ];
}
