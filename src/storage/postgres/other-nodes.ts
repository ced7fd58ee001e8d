import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { formatNodeName, schemaOfNode } from '../../domain/admission.ts';
import { ownSchema } from '../migrate.ts';
import { databaseLabel } from './connection-url.ts';

/** A server keeps the sessions of a machine that failed for as long, by its keep-alive. */
const GONE_MS = 6000;
const POLL_MS = 200;

let ownName: string | undefined;

/** The name of all connections of this process, by which others recognise it. */
export function nodeName(): string {
  ownName ??= formatNodeName({
    schema: ownSchema(),
    host: hostname(),
    pid: process.pid,
    nonce: randomBytes(2).toString('hex'),
  });
  return ownName;
}

interface OtherNode {
  readonly schema: number;
  /** With its address. */
  readonly label: string;
}

/** Another role of the same database may hide the names of its sessions, which are left out. */
const SELECT_NODES = `
  select application_name as name, coalesce(host(client_addr), 'this machine') as address,
    count(*)::int as connections
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend'
    and application_name like 'rapsheet%' and application_name <> $1
  group by 1, 2 order by 1, 2`;

/** The other processes that are connected to the database, of any version. */
async function otherNodes(client: pg.ClientBase): Promise<readonly OtherNode[]> {
  const { rows } = await client.query<{ name: string; address: string; connections: number }>(
    SELECT_NODES,
    [nodeName()],
  );
  return rows.flatMap(({ name, address, connections }) => {
    const schema = schemaOfNode(name);
    if (schema === undefined) return [];
    const shown = schema === 0 ? 'an older version' : name.slice('rapsheet/'.length);
    return { schema, label: `${shown} from ${address} (${connections} connections)` };
  });
}

/** Throws if nodes are connected that a migration to that schema must not run beside. */
export async function requireNoOlder(
  client: pg.ClientBase,
  oldestAdmitted: number,
  url: string,
): Promise<void> {
  const older = await untilGone(client, ({ schema }) => schema < oldestAdmitted);
  if (older.length > 0)
    throw new Error(
      `${databaseLabel(url)} has migrations during which no older node may run, and these are connected: ${listOf(older)}. Stop them and start again; or let \`rapsheet upgrade --beside-others\` migrate, after which they stop serving`,
    );
}

/** Throws if any node is connected. */
export async function requireAlone(client: pg.ClientBase, url: string): Promise<void> {
  const others = await untilGone(client, () => true);
  if (others.length > 0)
    throw new Error(
      `${databaseLabel(url)} is in use: stop these first, and move it then: ${listOf(others)}`,
    );
}

/** Waits a moment for nodes that were stopped. Returns those that stay. */
async function untilGone(
  client: pg.ClientBase,
  matches: (node: OtherNode) => boolean,
): Promise<readonly OtherNode[]> {
  const deadline = performance.now() + GONE_MS;
  for (;;) {
    const found = (await otherNodes(client)).filter(matches);
    if (found.length === 0 || performance.now() > deadline) return found;
    await sleep(POLL_MS);
  }
}

function listOf(nodes: readonly OtherNode[]): string {
  return nodes.map(({ label }) => label).join(', ');
}
