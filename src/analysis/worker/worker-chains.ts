import { fileURLToPath } from 'node:url';
import {
  type ChainOptions,
  type IsolationChain,
  isolationChains,
  withGroups,
} from './isolation/chains.ts';
import { openControlGroups } from './isolation/control-groups.ts';

/** Tests pass another program, which reads its modules itself. */
const OWN_PROGRAM = {
  program: fileURLToPath(new URL(`worker${extension()}`, import.meta.url)),
  preload: fileURLToPath(new URL('../../../bin/worker-modules.js', import.meta.url)),
};

export type StartOptions = Partial<ChainOptions> & Pick<ChainOptions, 'path'>;

/** The ways to start a worker on this machine, strongest first. */
export function chainsOf(options: StartOptions): readonly IsolationChain[] {
  const isRoot = options.isRoot ?? process.getuid?.() === 0;
  const { program } = options;
  const programOptions = program === undefined ? OWN_PROGRAM : { program };
  const chains = isolationChains({ ...options, ...programOptions, isRoot });
  const groups = openControlGroups();
  return groups === undefined ? chains : chains.map((chain) => withGroups(chain, groups));
}

/** The published package contains JavaScript. */
function extension(): string {
  return import.meta.url.endsWith('.ts') ? '.ts' : '.js';
}
