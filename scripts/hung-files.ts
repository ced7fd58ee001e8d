import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

export interface HungFiles {
  /** The pid of the test runner, whose child processes each run one test file. */
  readonly runner: number;
  readonly files: readonly string[];
  readonly limitMs: number;
  /** Called with each file whose process is killed. */
  onKill(file: string): void;
}

const POLL_MS = 5000;

/**
 * Kills test files that do not end. The runner's own timeout fails a test that hangs, but then
 * waits for its process without limit if a handle stays open or a loop is infinite. Returns a
 * function that stops the watch.
 */
export function killHungFiles(options: HungFiles, everyMs = POLL_MS): () => void {
  const firstSeen = new Map<number, number>();
  const poll = async () => {
    const all = await listProcesses();
    for (const { pid, parent, command } of all) {
      const file = options.files.find((one) => command.endsWith(one));
      if (parent !== options.runner || file === undefined) continue;
      const since = firstSeen.get(pid) ?? performance.now();
      firstSeen.set(pid, since);
      if (performance.now() - since < options.limitMs) continue;
      options.onKill(file);
      for (const each of [pid, ...descendantsOf(pid, all)]) kill(each);
    }
  };
  // If processes cannot be listed, the tests run without the watch.
  const timer = setInterval(() => void poll().catch(() => undefined), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function listProcesses(): Promise<readonly Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*\S)\s*$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

function descendantsOf(pid: number, all: readonly Process[]): readonly number[] {
  const children = all.filter(({ parent }) => parent === pid).map((one) => one.pid);
  return children.flatMap((child) => [child, ...descendantsOf(child, all)]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended since.
  }
}
