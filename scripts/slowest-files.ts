import { existsSync, readFileSync } from 'node:fs';

const SHOWN = 10;

/** Lists the files that took most CPU time, from what the processes of the tests recorded. */
export function formatSlowest(times: string): string {
  if (!existsSync(times)) return '';
  const seconds = new Map<string, number>();
  let all = 0;
  for (const line of readFileSync(times, 'utf8').trim().split('\n')) {
    const recorded: Recorded = JSON.parse(line);
    all += recorded.all;
    for (const [file, own] of Object.entries(recorded.files))
      seconds.set(file, (seconds.get(file) ?? 0) + own);
  }
  const slowest = [...seconds].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
  const lines = slowest.map(([file, own]) => `${own.toFixed(1).padStart(7)}  ${file}`);
  return [`${all.toFixed(0)} s of CPU time; most of it in:`, ...lines, ''].join('\n');
}

interface Recorded {
  readonly files: Readonly<Record<string, number>>;
  readonly all: number;
}
