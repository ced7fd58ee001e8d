import {
  type ChainOptions,
  type IsolationChain,
  isolationChains,
  withGroups,
} from './isolation/chains.ts';
import { openControlGroups } from './isolation/control-groups.ts';
import { workerProgram } from './worker-program.ts';

export type StartOptions = Partial<ChainOptions> & Pick<ChainOptions, 'path'>;

/** The ways to start a worker on this machine, strongest first. */
export function chainsOf(options: StartOptions): readonly IsolationChain[] {
  const isRoot = options.isRoot ?? process.getuid?.() === 0;
  // Tests pass another program.
  const { program } = options;
  const programOptions = program === undefined ? workerProgram() : { program };
  const chains = isolationChains({ ...options, ...programOptions, isRoot });
  const groups = openControlGroups();
  return groups === undefined ? chains : chains.map((chain) => withGroups(chain, groups));
}
