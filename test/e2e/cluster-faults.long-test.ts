import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ClusterFaultPlan, runClusterFaults } from './cluster/cluster-faults.ts';
import { canRun, replicaPrograms, serverPrograms } from './cluster/own-postgres.ts';

/** A short run; `npm run torture` injects the same faults for longer. */
async function assertPromisesHold(
  faults: ClusterFaultPlan['faults'],
  programs = '',
): Promise<void> {
  const { broken, reports, lookups } = await runClusterFaults({ faults, programs });
  assert.deepEqual(broken, []);
  assert.ok(reports > 0 && lookups > 0, 'reports and lookups were acknowledged');
}

const noUser = !canRun && 'PostgreSQL does not run as root, and the user postgres does not exist';

it(
  'keeps its promises while a node, a worker and PostgreSQL are killed',
  {
    skip:
      noUser ||
      (serverPrograms === undefined && 'embedded PostgreSQL does not support this platform'),
  },
  () => assertPromisesHold(['node', 'worker', 'database'], serverPrograms),
);

it(
  'keeps its promises during a failover of PostgreSQL to a replica',
  {
    skip: noUser || (replicaPrograms === undefined && 'pg_basebackup is not installed'),
  },
  () => assertPromisesHold(['failover'], replicaPrograms),
);
