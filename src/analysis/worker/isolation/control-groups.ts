import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { MEMORY_BYTES, THREADS } from './limits.ts';

/**
 * Limits each worker by a control group of its own (cgroup v2), where the service manager has
 * delegated the group of the service to us:
 *
 *   rapsheet.service     delegated: may create groups and enable controllers, if it has no process
 *   ├─ server            the processes of the service, which move there
 *   └─ worker-<random>   one worker with its bubblewrap
 *
 * A group counts all memory of its processes, also what `prlimit` does not: shared memory, page
 * tables and other memory of the kernel. See
 * https://docs.kernel.org/admin-guide/cgroup-v2.html, "Delegation" and "No Internal Process
 * Constraint".
 */
export interface ControlGroups {
  /** Creates the group of a worker. Throws if the system cannot. */
  create(): WorkerGroup;
}

export interface WorkerGroup {
  /**
   * The start of the command of a worker. The process enters the group itself: if the parent moved
   * it, bubblewrap could have created a child before, which would stay outside.
   */
  readonly enter: readonly string[];
  /** To be called when its processes have exited. */
  remove(): void;
}

const SERVICE_GROUP = 'server';
const CONTROLLERS = ['memory', 'pids'];
/**
 * More than `prlimit --data`, so that an allocation fails, which the engine survives, before the
 * kernel kills the worker. The rest is code, page tables and buffers of pipes.
 */
const GROUP_MEMORY_BYTES = MEMORY_BYTES + 256 * 1024 * 1024;
const LIMITS: Readonly<Record<string, string>> = {
  'memory.max': `${GROUP_MEMORY_BYTES}`,
  'pids.max': `${THREADS}`,
  // Without it, bubblewrap would survive its worker.
  'memory.oom.group': '1',
};
/** Absent on systems without swap. */
const OPTIONAL_LIMITS: Readonly<Record<string, string>> = { 'memory.swap.max': '0' };
/** 0 is the process that writes. `$0` is the file, and the arguments are the command. */
const ENTER = 'echo 0 > "$0" && exec "$@"';
/** A child process may be created while the others are moved. */
const MOVES = 5;

export interface GroupOptions {
  readonly proc?: string;
  readonly pid?: number;
}

/**
 * Returns `undefined` if the process is in no delegated group, or shares it with processes that are
 * not its children, such as the shell that started it.
 */
export function openControlGroups({
  proc = '/proc',
  pid = process.pid,
}: GroupOptions = {}): ControlGroups | undefined {
  try {
    const own = ownGroup(proc);
    if (own === undefined) return undefined;
    const root = basename(own) === SERVICE_GROUP ? dirname(own) : own;
    const available = readFileSync(join(root, 'cgroup.controllers'), 'latin1').trim().split(' ');
    if (!CONTROLLERS.every((controller) => available.includes(controller))) return undefined;
    for (const file of ['', 'cgroup.procs', 'cgroup.subtree_control'])
      accessSync(join(root, file), constants.W_OK);
    if (!vacate(root, { proc, pid })) return undefined;
    const enable = CONTROLLERS.map((controller) => `+${controller}`).join(' ');
    writeFileSync(join(root, 'cgroup.subtree_control'), enable);
    const groups = new Groups(root);
    groups.test();
    return groups;
  } catch {
    // Not Linux, read-only, or not permitted.
    return undefined;
  }
}

/** The folder of the group that this process is in. */
function ownGroup(proc: string): string | undefined {
  const path = /^0::(\/.*)$/m.exec(readFileSync(join(proc, 'self/cgroup'), 'latin1'))?.[1];
  // `<id> <parent> <device> <root> <mount point> … - cgroup2 …` (proc_pid_mountinfo(5)).
  const mount = readFileSync(join(proc, 'self/mountinfo'), 'latin1')
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '))
    ?.split(' ');
  const [, , , root, folder] = mount ?? [];
  if (path === undefined || root === undefined || folder === undefined) return undefined;
  const inside = relative(root, path);
  return inside.startsWith('..') ? undefined : join(folder, inside);
}

/** Moves our processes out of the group. Returns whether it is empty: others are not moved. */
function vacate(root: string, own: Required<GroupOptions>): boolean {
  const serviceGroup = join(root, SERVICE_GROUP);
  for (let move = 0; move < MOVES; move += 1) {
    const pids = readFileSync(join(root, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean);
    if (pids.length === 0) return true;
    if (!pids.every((pid) => isOurs(Number(pid), own))) return false;
    mkdirSync(serviceGroup, { recursive: true });
    for (const pid of pids) writeFileSync(join(serviceGroup, 'cgroup.procs'), pid);
  }
  return false;
}

/** Whether it is this process or a descendant. */
function isOurs(pid: number, own: Required<GroupOptions>): boolean {
  for (let at = pid; at > 0; ) {
    if (at === own.pid) return true;
    const stat = readFileSync(join(own.proc, `${at}`, 'stat'), 'latin1');
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  }
  return false;
}

class Groups implements ControlGroups {
  readonly #root: string;
  /** Groups whose processes had not quite exited when they were to be removed. */
  readonly #left = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** A controller may be listed and its files not writable. */
  test(): void {
    this.#remove(this.#createFolder());
  }

  create(): WorkerGroup {
    for (const group of [...this.#left]) this.#remove(group);
    const group = this.#createFolder();
    return {
      enter: ['/bin/sh', '-c', ENTER, join(group, 'cgroup.procs')],
      remove: () => this.#remove(group),
    };
  }

  #createFolder(): string {
    const group = mkdtempSync(join(this.#root, 'worker-'));
    for (const [file, value] of Object.entries(LIMITS)) writeFileSync(join(group, file), value);
    for (const [file, value] of Object.entries(OPTIONAL_LIMITS)) {
      try {
        writeFileSync(join(group, file), value);
      } catch {
        // The kernel has no accounting of swap.
      }
    }
    return group;
  }

  #remove(group: string): void {
    this.#left.add(group);
    try {
      rmdirSync(group);
      this.#left.delete(group);
    } catch {
      // Not empty yet: it is removed with the next one.
    }
  }
}
