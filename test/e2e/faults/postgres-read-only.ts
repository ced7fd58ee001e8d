import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../until.ts';
import {
  onOwnPostgres,
  type PostgresTrialPlan,
  type PostgresTrialResult,
} from './postgres-trial.ts';

const KINDS = ['create', 'lookup', 'upload'] as const;
const REFUSED_WITHIN_MS = 60_000;

/**
 * PostgreSQL takes no writes for a while, as one that was made a replica. Reports can be read all
 * the while; a lookup cannot be paid for, and is refused.
 */
export async function postgresReadOnly(plan: PostgresTrialPlan): Promise<PostgresTrialResult> {
  return await onOwnPostgres({ programs: plan.programs }, async (trial) => {
    const { load, readers, broken, run } = trial;
    const set = async (setting: string) => {
      await run(`alter system ${setting}`);
      await run('select pg_reload_conf()');
    };
    await set('set default_transaction_read_only = on');
    const isRefused = () => KINDS.every((kind) => load.results.refusedByKind[kind] > 0);
    if (!(await eventually(async () => isRefused(), Boolean, REFUSED_WITHIN_MS)))
      broken.push(`not everything was refused: ${JSON.stringify(load.results.refusedByKind)}`);
    const [served, reads] = [load.results.served, readers.served];
    await pause(plan.forMs);
    if (load.results.served > served)
      broken.push(
        `${load.results.served - served} lookups were answered that nobody could pay for`,
      );
    if (readers.served === reads) broken.push('nobody could read');
    if (readers.refused > 0) broken.push(`${readers.refused} reads were refused`);
    await set('reset default_transaction_read_only');
  });
}
