import { channel } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Records the CPU time that the tests of each file take in this process and in the processes that
 * they started and ended, and appends it to the file that `TEST_TIMES` names. Before Node 26 the
 * test runner does not publish its tests, and only the sum is recorded.
 */
const seconds: Record<string, number> = {};
let startedAt = 0;

/** The clock ticks of /proc have this length everywhere. */
const TICKS_PER_SECOND = 100;

/** With the CPU time of ended processes where the system has it. */
function cpuSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / TICKS_PER_SECOND, 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

interface Traced {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
}

const isWhole = ({ name, nesting }: Traced) => nesting === 0 && name !== '<root>';

channel('tracing:node.test:start').subscribe((test) => {
  if (isWhole(test as Traced)) startedAt = cpuSeconds();
});
channel('tracing:node.test:end').subscribe((test) => {
  const { file } = test as Traced;
  if (!isWhole(test as Traced) || file === undefined) return;
  const path = relative('', file);
  seconds[path] = (seconds[path] ?? 0) + cpuSeconds() - startedAt;
});

const times = process.env['TEST_TIMES'];
process.on('exit', () => {
  if (times !== undefined)
    appendFileSync(times, `${JSON.stringify({ files: seconds, all: cpuSeconds() })}\n`);
});
