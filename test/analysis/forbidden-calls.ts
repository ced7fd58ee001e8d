import { ABSENT, CHECKED, FATAL } from '../../src/analysis/worker/isolation/system-calls.ts';
import { DATA_ADDRESS } from './system-call-probe.ts';

/** A system call that a worker must not be able to make. */
export interface ForbiddenCall {
  readonly title: string;
  readonly number: number;
  readonly callArguments: readonly number[];
}

const COLUMN = process.arch === 'arm64' ? 1 : 0;
const MIB = 1024 * 1024;

/** Those that are in no table of the filter, and get its default. */
const OTHERS: Readonly<Record<string, readonly [number | undefined, number | undefined]>> = {
  accept4: [288, 242],
  bind: [49, 200],
  capset: [126, 91],
  chdir: [80, 49],
  connect: [42, 203],
  execveat: [322, 281],
  fork: [57, undefined],
  inotify_init1: [294, 26],
  kill: [62, 129],
  landlock_create_ruleset: [444, 444],
  memfd_create: [319, 279],
  mkdirat: [258, 34],
  mlock: [149, 228],
  pidfd_open: [434, 434],
  recvmsg: [47, 212],
  seccomp: [317, 277],
  sendmsg: [46, 211],
  setpriority: [141, 140],
  setuid: [105, 146],
  socketpair: [53, 199],
  splice: [275, 76],
  timer_create: [222, 107],
  unlinkat: [263, 35],
  vfork: [58, undefined],
  vmsplice: [278, 75],
};

const SOCKET = COLUMN === 0 ? 41 : 198;

function numberOf(name: string): number | undefined {
  return CHECKED.find((call) => call.name === name)?.numbers[COLUMN];
}

function named(name: string, ...callArguments: readonly number[]): ForbiddenCall[] {
  const number = numberOf(name);
  const title = `${name}(${callArguments.map((one) => `0x${one.toString(16)}`).join(', ')})`;
  return number === undefined ? [] : [{ title, number, callArguments }];
}

function ofTable(table: typeof FATAL): ForbiddenCall[] {
  return Object.entries(table).flatMap(([title, numbers]) => {
    const number = numbers[COLUMN];
    return number === undefined ? [] : [{ title, number, callArguments: [] }];
  });
}

/** Each ends the process that makes it. */
export const FATAL_CALLS: readonly ForbiddenCall[] = [
  ...ofTable(FATAL),
  ...(COLUMN === 0
    ? [{ title: 'getpid of the x32 interface', number: 0x4000_0000 + 39, callArguments: [] }]
    : []),
];

/** Each fails with `EPERM` or `ENOSYS`. */
export const REFUSED_CALLS: readonly ForbiddenCall[] = [
  ...ofTable(ABSENT),
  ...ofTable(OTHERS),
  // AF_UNIX, AF_INET, AF_NETLINK, AF_VSOCK.
  ...[1, 2, 16, 40].map((family) => ({
    title: `socket of family ${family}`,
    number: SOCKET,
    callArguments: [family, 3, 0],
  })),
  // SIGCHLD alone, as `fork` does; CLONE_VM and CLONE_VFORK, as libuv does; CLONE_NEWUSER.
  ...named('clone', 0x11),
  ...named('clone', 0x4111),
  ...named('clone', 0x1001_0011),
  // MAP_SHARED, MAP_SHARED_VALIDATE and MAP_GROWSDOWN, anonymous.
  ...named('mmap', 0, MIB, 3, 0x21, -1, 0),
  ...named('mmap', 0, MIB, 3, 0x23, -1, 0),
  ...named('mmap', 0, MIB, 3, 0x122, -1, 0),
  // O_WRONLY, O_RDWR, O_CREAT.
  ...[1, 2, 0x40].flatMap((flags) => named('openat', -100, DATA_ADDRESS + 512, flags)),
  ...[1, 2, 0x40].flatMap((flags) => named('open', DATA_ADDRESS + 512, flags)),
  // F_SETOWN, F_SETPIPE_SZ.
  ...[8, 1031].flatMap((command) => named('fcntl', 0, command, MIB)),
  // TIOCSTI, TIOCLINUX.
  ...[0x5412, 0x541c].flatMap((request) => named('ioctl', 0, request, DATA_ADDRESS)),
  // PR_SET_DUMPABLE, PR_SET_MM, PR_SET_SECCOMP.
  ...[4, 35, 22].flatMap((option) => named('prctl', option, 1)),
  // The limits of the process that reaps it.
  ...named('prlimit64', 1, 2, 0, DATA_ADDRESS),
  // ARCH_SET_GS.
  ...named('arch_prctl', 0x1001, 0),
  { title: 'a number after the last known one', number: 451, callArguments: [] },
];
