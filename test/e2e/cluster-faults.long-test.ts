import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ClusterFaultPlan, runClusterFaults } from './cluster/cluster-faults.ts';
import { canRun, replicaPrograms, serverPrograms } from './cluster/own-postgres.ts';

/** The short form of what `npm run torture` does for longer. */
async function holds(faults: ClusterFaultPlan['faults'], programs = ''): Promise<void> {
  const { broken, reports, lookups } = await runClusterFaults({ faults, programs });
  assert.deepEqual(broken, []);
  assert.ok(reports > 0 && lookups > 0, 'there was something to lose');
}

const noUser = !canRun && 'PostgreSQL does not run as root, and there is no user postgres';

it(
  'keeps its promises while a node, a worker and PostgreSQL are killed',
  {
    skip: noUser || (serverPrograms === undefined && 'PostgreSQL is not there for this platform'),
  },
  () => holds(['node', 'worker', 'database'], serverPrograms),
);

it(
  'keeps its promises while a replica takes the place of PostgreSQL',
  {
    skip: noUser || (replicaPrograms === undefined && 'pg_basebackup is not installed'),
  },
  () => holds(['failover'], replicaPrograms),
);
