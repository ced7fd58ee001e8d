import { loadRuleSources } from '../analysis/rules/rule-files.ts';
import { openPool, type PoolOptions } from '../analysis/worker/pool.ts';
import type { Config } from '../config.ts';
import type { Analyser } from '../ports/analyser.ts';

type AnalyserOptions = Pick<PoolOptions, 'workers' | 'startedAtOnce' | 'first' | 'signal'>;

/** Opens the pool of worker processes with the built-in rules and those of the operator. */
export async function openAnalyser(config: Config, options: AnalyserOptions): Promise<Analyser> {
  const { sources, problems } = loadRuleSources({ local: config.rulesFolder });
  const analyser = await openPool({ ...options, rules: sources, path: config.programPath });
  return Object.assign(analyser, { ruleProblems: [...problems, ...analyser.ruleProblems] });
}
