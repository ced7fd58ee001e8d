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
 * Makes PostgreSQL refuse writes for a while, as a demoted primary does. Reads must succeed; a
 * lookup cannot spend a unit, and must be refused.
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
      broken.push(
        `calls of some kind were not refused: ${JSON.stringify(load.results.refusedByKind)}`,
      );
    const [served, reads] = [load.results.served, readers.served];
    await pause(plan.forMs);
    if (load.results.served > served)
      broken.push(`${load.results.served - served} lookups were served without spending a unit`);
    if (readers.served === reads) broken.push('no read was served');
    if (readers.refused > 0) broken.push(`${readers.refused} reads were refused`);
    await set('reset default_transaction_read_only');
    return undefined;
  });
}
