/**
 * The system calls of an analysis worker, with their numbers from the headers of the kernel:
 * `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` (arm64). The
 * test compares them with the headers of the machine.
 *
 * A call that is in no table gets `EPERM`; one newer than the tables gets `ENOSYS`.
 */
export type SystemCalls = Readonly<
  Record<string, readonly [x64: number | undefined, arm64: number | undefined]>
>;

/** The architecture does not have the call: it has a newer one instead. */
const NONE = undefined;

/** The highest number of the headers that the tables were written from, Linux 6.1. */
export const NEWEST_CALL = 450;

/**
 * What Node, V8, libuv and the C libraries (glibc, musl) call, and bubblewrap after it has loaded
 * the filter: `execve` of the worker, and `wait4` of the process that reaps it.
 */
export const ALLOWED: SystemCalls = {
  // Frequent calls first: kernels before 5.11 compare one number after another.
  futex: [202, 98],
  read: [0, 63],
  write: [1, 64],
  mprotect: [10, 226],
  munmap: [11, 215],
  madvise: [28, 233],
  epoll_pwait: [281, 22],
  getrusage: [98, 165],
  close: [3, 57],
  // Memory. `mmap` is below.
  brk: [12, 214],
  mremap: [25, 216],
  membarrier: [324, 283],
  // Threads. `clone` is below.
  exit: [60, 93],
  exit_group: [231, 94],
  getcpu: [309, 168],
  gettid: [186, 178],
  restart_syscall: [219, 128],
  rseq: [334, 293],
  sched_get_priority_max: [146, 125],
  sched_get_priority_min: [147, 126],
  sched_getaffinity: [204, 123],
  sched_getparam: [143, 121],
  sched_getscheduler: [145, 120],
  sched_yield: [24, 124],
  set_robust_list: [273, 99],
  set_tid_address: [218, 96],
  // Signals, to its own threads.
  rt_sigaction: [13, 134],
  rt_sigpending: [127, 136],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  rt_sigtimedwait: [128, 137],
  sigaltstack: [131, 132],
  tgkill: [234, 131],
  tkill: [200, 130],
  // Open files and the file system, which is mounted read-only. `openat` is below.
  access: [21, NONE],
  close_range: [436, 436],
  dup: [32, 23],
  dup2: [33, NONE],
  dup3: [292, 24],
  faccessat: [269, 48],
  faccessat2: [439, 439],
  fadvise64: [221, 223],
  fstat: [5, 80],
  getcwd: [79, 17],
  getdents64: [217, 61],
  lseek: [8, 62],
  lstat: [6, NONE],
  newfstatat: [262, 79],
  pread64: [17, 67],
  preadv: [295, 69],
  readlink: [89, NONE],
  readlinkat: [267, 78],
  readv: [19, 65],
  stat: [4, NONE],
  statx: [332, 291],
  writev: [20, 66],
  // The event loop, and what libuv asks of the pipes that it inherits.
  epoll_create: [213, NONE],
  epoll_create1: [291, 20],
  epoll_ctl: [233, 21],
  epoll_pwait2: [441, 441],
  epoll_wait: [232, NONE],
  eventfd2: [290, 19],
  getpeername: [52, 205],
  getsockname: [51, 204],
  getsockopt: [55, 209],
  pipe: [22, NONE],
  pipe2: [293, 59],
  poll: [7, NONE],
  ppoll: [271, 73],
  pselect6: [270, 72],
  select: [23, NONE],
  shutdown: [48, 210],
  // Time.
  clock_getres: [229, 114],
  clock_gettime: [228, 113],
  clock_nanosleep: [230, 115],
  gettimeofday: [96, 169],
  nanosleep: [35, 101],
  time: [201, NONE],
  times: [100, 153],
  // Questions about itself and the machine.
  capget: [125, 90],
  getegid: [108, 177],
  geteuid: [107, 175],
  getgid: [104, 176],
  getgroups: [115, 158],
  getpid: [39, 172],
  getppid: [110, 173],
  getpriority: [140, 141],
  getrandom: [318, 278],
  getresgid: [120, 150],
  getresuid: [118, 148],
  getrlimit: [97, 163],
  getuid: [102, 174],
  sysinfo: [99, 179],
  umask: [95, 166],
  uname: [63, 160],
  // Bubblewrap.
  execve: [59, 221],
  wait4: [61, 260],
};

/** `value & mask` must be `equals`. Only the low 32 bits of an argument are compared. */
export interface ArgumentCheck {
  readonly argument: number;
  readonly mask: number;
  readonly equals: number;
}

const WHOLE = 0xffff_ffff;

function anyOf(argument: number, values: readonly number[]): readonly ArgumentCheck[] {
  return values.map((equals) => ({ argument, mask: WHOLE, equals }));
}

const CLONE_THREAD = 0x0001_0000;
/** All `CLONE_NEW…`, `CLONE_PIDFD`, `CLONE_PTRACE`, `CLONE_VFORK`, `CLONE_UNTRACED`. */
const CLONE_REFUSED = 0x7e82_7000;
const MAP_TYPE = 0x0f;
const MAP_PRIVATE = 0x02;
/**
 * `MAP_GROWSDOWN` and `MAP_HUGETLB`. `RLIMIT_DATA` counts neither stacks nor shared memory, so a
 * worker may not map either.
 */
const MAP_REFUSED = 0x4_0100;
/** `O_WRONLY`, `O_RDWR`, `O_CREAT`. */
const OPEN_TO_WRITE = 0x43;

export interface CheckedCall {
  readonly name: string;
  readonly numbers: SystemCalls[string];
  /** The call is allowed if one of them holds. */
  readonly allowedIf: readonly ArgumentCheck[];
}

export const CHECKED: readonly CheckedCall[] = [
  {
    name: 'mmap',
    numbers: [9, 222],
    allowedIf: [{ argument: 3, mask: MAP_TYPE | MAP_REFUSED, equals: MAP_PRIVATE }],
  },
  {
    // Threads, but no processes.
    name: 'clone',
    numbers: [56, 220],
    allowedIf: [{ argument: 0, mask: CLONE_THREAD | CLONE_REFUSED, equals: CLONE_THREAD }],
  },
  {
    name: 'openat',
    numbers: [257, 56],
    allowedIf: [{ argument: 2, mask: OPEN_TO_WRITE, equals: 0 }],
  },
  {
    name: 'open',
    numbers: [2, NONE],
    allowedIf: [{ argument: 1, mask: OPEN_TO_WRITE, equals: 0 }],
  },
  {
    // F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC.
    name: 'fcntl',
    numbers: [72, 25],
    allowedIf: anyOf(1, [0, 1, 2, 3, 4, 1030]),
  },
  {
    // TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
    name: 'ioctl',
    numbers: [16, 29],
    allowedIf: anyOf(1, [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451]),
  },
  {
    // PR_SET_NAME, PR_GET_NAME.
    name: 'prctl',
    numbers: [157, 167],
    allowedIf: anyOf(0, [15, 16]),
  },
  {
    // Only for the process itself. Without capabilities it can only lower its limits.
    name: 'prlimit64',
    numbers: [302, 261],
    allowedIf: anyOf(0, [0]),
  },
  {
    // ARCH_SET_FS: the C library sets the thread pointer.
    name: 'arch_prctl',
    numbers: [158, NONE],
    allowedIf: anyOf(0, [0x1002]),
  },
];

/**
 * `ENOSYS`: the C library and libuv then use the older call. The arguments of `clone3` and
 * `openat2` are in memory, where a filter cannot read them.
 */
export const ABSENT: SystemCalls = {
  clone3: [435, 435],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  openat2: [437, 437],
};

/** No version of Node makes these calls: the worker is hostile, and is killed. */
export const FATAL: SystemCalls = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  ioperm: [173, NONE],
  iopl: [172, NONE],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  modify_ldt: [154, NONE],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  msgctl: [71, 187],
  msgget: [68, 186],
  msgrcv: [70, 188],
  msgsnd: [69, 189],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  reboot: [169, 142],
  request_key: [249, 218],
  semctl: [66, 191],
  semget: [64, 190],
  semop: [65, 193],
  setns: [308, 268],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  shmget: [29, 194],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, NONE],
  userfaultfd: [323, 282],
};
