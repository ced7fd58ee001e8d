import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

export interface HungFiles {
  /** The process below which each test file is one of its own. */
  readonly runner: number;
  readonly files: readonly string[];
  readonly limitMs: number;
  /** Told of each file that is ended. */
  tell(file: string): void;
}

const LOOK_EVERY_MS = 5000;

/**
 * Ends test files that do not end: the runner's own limit fails a test that hangs, but then waits
 * for ever for its process where something is left open in it, or a loop has no end. Gives what
 * stops the watch.
 */
export function endHungFiles(options: HungFiles, everyMs = LOOK_EVERY_MS): () => void {
  const firstSeen = new Map<number, number>();
  const look = async () => {
    const all = await listProcesses();
    for (const { pid, parent, command } of all) {
      const file = options.files.find((one) => command.endsWith(one));
      if (parent !== options.runner || file === undefined) continue;
      const since = firstSeen.get(pid) ?? performance.now();
      firstSeen.set(pid, since);
      if (performance.now() - since < options.limitMs) continue;
      options.tell(file);
      for (const each of [pid, ...below(pid, all)]) kill(each);
    }
  };
  // Where processes cannot be listed there is no watch, and the tests run all the same.
  const timer = setInterval(() => void look().catch(() => undefined), everyMs);
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

/** Whatever it has started, and they in turn. */
function below(pid: number, all: readonly Process[]): readonly number[] {
  const children = all.filter(({ parent }) => parent === pid).map((one) => one.pid);
  return children.flatMap((child) => [child, ...below(child, all)]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
