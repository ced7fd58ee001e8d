/** Whether nodes of an older schema may use the store after a migration. */
export type OlderNodes = 'may run' | 'must stop';

const DECLARATION = /^-- older nodes: (may run|must stop)\n/;
/** Migrations from this one on declare it, and the store has the table `admission`. */
export const FIRST_DECLARED = 41;
/** More than any schema: a store that was moved to another database admits no node. */
export const NO_SCHEMA = 1_000_000;

/** The first line of a migration; `undefined` if it is another one. */
export function parseOlderNodes(sql: string): OlderNodes | undefined {
  return DECLARATION.exec(sql)?.[1] as OlderNodes | undefined;
}

/** The number of a migration, `0041-admission`. */
export function schemaOf(migration: string): number {
  return Number(/^\d+/.exec(migration)?.[0] ?? 0);
}

export function isAdmitted(schema: number, oldestAdmitted: number): boolean {
  return schema >= oldestAdmitted;
}

/** The highest of the migrations that older nodes must not outlive; 0 without any. */
export function oldestAfter(
  migrations: readonly { readonly name: string; readonly olderNodes: OlderNodes }[],
): number {
  const stopping = migrations.filter(({ olderNodes }) => olderNodes === 'must stop');
  return Math.max(0, ...stopping.map(({ name }) => schemaOf(name)));
}

/** A process that is connected to a store. */
export interface NodeName {
  /** The last migration that its version knows. */
  readonly schema: number;
  readonly host: string;
  readonly pid: number;
  /** Distinguishes processes with the same id, each in its own container. */
  readonly nonce: string;
}

/** PostgreSQL cuts the names of connections after 63 bytes. */
const MAX_HOST = 36;
/** All connections of versions before the table `admission`. */
const UNNUMBERED = 'rapsheet';
const NUMBERED = /^rapsheet\/(\d{4,6}) /;

export function formatNodeName({ schema, host, pid, nonce }: NodeName): string {
  const ascii = host.replaceAll(/[^\w.-]/g, '_').slice(0, MAX_HOST);
  return `rapsheet/${String(schema).padStart(4, '0')} ${ascii}:${pid}#${nonce}`;
}

/**
 * The schema of a process by the name of its connections: 0 before the table `admission`,
 * `undefined` if it is another program.
 */
export function schemaOfNode(name: string): number | undefined {
  if (name === UNNUMBERED) return 0;
  const [, schema] = NUMBERED.exec(name) ?? [];
  return schema === undefined ? undefined : Number(schema);
}
