import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalysisWorkers } from '../../../src/client/wire.ts';
import { FATAL_CALLS, type ForbiddenCall, REFUSED_CALLS } from '../../analysis/forbidden-calls.ts';
import { Probe, sandboxFor, writeProbe } from '../../analysis/system-call-probe.ts';
import type { AttackCase } from '../case.ts';
import type { Target } from '../target.ts';

/** What a parser would do after a sample has taken it over. */
export const sandbox: readonly AttackCase[] = [
  {
    name: 'a parser that was taken over makes every forbidden system call',
    safe: 'runs it in a filter that refuses each, or kills the process',
    async run(target) {
      const tier = await tierOf(target);
      // Without bubblewrap there is no filter, which the log, /admin and `doctor` state.
      if (tier === 'limits' || tier === 'runtime') return [];
      return [...unfiltered(target), ...(await refusals())];
    },
  },
];

/** The analysis of a sample ends after the first worker has started. */
async function tierOf(target: Target): Promise<string | undefined> {
  const content = new Blob(['a sample of the attack on the sandbox']);
  await target.client('researcher').upload(content, { fileName: 'a', wait: 30 });
  const answer = await target.call('admin', '/admin/workers');
  const { workers } = (await answer.json()) as AnalysisWorkers;
  return workers?.isolation.tier;
}

/** The workers of the server that have no filter, by `/proc`. */
function unfiltered({ server }: Target): readonly string[] {
  const parsers = descendants(server.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').slice(1, 2).includes('--permission'),
  );
  if (parsers.length === 0) return ['no process that parses was found'];
  return parsers
    .filter((pid) => !/^Seccomp:\t2$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1')))
    .map((pid) => `the parser ${pid} has no filter`);
}

function descendants(root: number): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'latin1');
        return [{ pid: Number(name), parent: Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]) }];
      } catch {
        return [];
      }
    });
  const found = [root];
  for (const ancestor of found)
    found.push(...parents.filter(({ parent }) => parent === ancestor).map(({ pid }) => pid));
  return found;
}

/** Makes the calls in a sandbox of the same arguments. */
async function refusals(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-attack-probe-'));
  chmodSync(folder, 0o755);
  try {
    const program = writeProbe(folder);
    const chain = sandboxFor(folder);
    if (program === undefined || chain === undefined) return ['there is no probe for this machine'];
    const made: string[] = [];
    const attempt = async (calls: readonly ForbiddenCall[], expected: RegExp) => {
      const probe = new Probe(program, chain);
      for (const { title, number, callArguments } of calls) {
        const result = String(await probe.call(number, ...callArguments));
        if (!expected.test(result)) made.push(`${title} gave ${result}`);
      }
      await probe.end();
    };
    await attempt(REFUSED_CALLS, /^(EPERM|ENOSYS)$/);
    for (const call of FATAL_CALLS) await attempt([call], /^killed$/);
    return made;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
