import type { Config } from '../config.ts';
import { describeTier } from '../domain/samples/isolation-tier.ts';
import type { CheckResult } from '../operations/examine-store.ts';
import { openAnalyser } from '../server/open-analyser.ts';

const NAME = 'isolation of samples';

/**
 * Starts a worker as a server would, and names the row of the table in SECURITY.md that applies.
 * Only a machine that cannot start a worker is wrong: the operator chooses the isolation.
 */
export async function checkIsolation(
  _deps: unknown,
  config: Config,
): Promise<CheckResult & { readonly detail?: string }> {
  if (config.analysisWorkers === 0)
    return { name: NAME, detail: 'no workers here', wrong: [], hasMore: false };
  try {
    const analyser = await openAnalyser(config, { workers: 1 });
    await analyser.close();
    const detail = describeTier(analyser.isolation.tier);
    return { name: NAME, detail, wrong: [], hasMore: false };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { name: NAME, wrong: [message], hasMore: false };
  }
}
