import { Counter, Gauge, type Registry } from 'prom-client';

/** What memory is held for. */
export const MEMORY_KINDS = ['bodies', 'answers', 'streams', 'uploads', 'pipelined'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

export const CONNECTION_REFUSALS = ['total', 'address'] as const;

/** Plain numbers that others write: they change with every large answer. */
export interface MemoryNumbers {
  budgetBytes: number;
  readonly heldBytes: Record<MemoryKind, number>;
  readonly refusals: Record<MemoryKind, number>;
  readonly connections: {
    open: number;
    stalled: number;
    readonly refused: Record<(typeof CONNECTION_REFUSALS)[number], number>;
  };
}

export function memoryMetrics(registers: Registry[]): MemoryNumbers {
  const numbers: MemoryNumbers = {
    budgetBytes: 0,
    heldBytes: { bodies: 0, answers: 0, streams: 0, uploads: 0, pipelined: 0 },
    refusals: { bodies: 0, answers: 0, streams: 0, uploads: 0, pipelined: 0 },
    connections: { open: 0, stalled: 0, refused: { total: 0, address: 0 } },
  };
  declareMemory(registers, numbers);
  declareConnections(registers, numbers.connections);
  return numbers;
}

function declareMemory(registers: Registry[], numbers: MemoryNumbers): void {
  new Gauge({
    name: 'rapsheet_memory_budget_bytes',
    help: 'The most that may be held for callers before new work is refused',
    registers,
    collect() {
      this.set(numbers.budgetBytes);
    },
  });
  new Gauge({
    name: 'rapsheet_memory_held_bytes',
    help: 'Memory that is held for callers, by what it is for',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const kind of MEMORY_KINDS) this.set({ kind }, numbers.heldBytes[kind]);
    },
  });
  new Counter({
    name: 'rapsheet_memory_refusals_total',
    help: 'Work that was refused or ended because the memory budget was used up',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const kind of MEMORY_KINDS) this.inc({ kind }, numbers.refusals[kind]);
    },
  });
}

function declareConnections(
  registers: Registry[],
  connections: MemoryNumbers['connections'],
): void {
  new Gauge({
    name: 'rapsheet_http_connections',
    help: 'Connections of callers that are open',
    registers,
    collect() {
      this.set(connections.open);
    },
  });
  new Counter({
    name: 'rapsheet_http_connections_refused_total',
    help: 'Connections that were closed at once, by the limit that they were above',
    labelNames: ['limit'],
    registers,
    collect() {
      this.reset();
      for (const limit of CONNECTION_REFUSALS) this.inc({ limit }, connections.refused[limit]);
    },
  });
  new Counter({
    name: 'rapsheet_http_connections_stalled_total',
    help: 'Connections that were closed because their callers did not read their answers',
    registers,
    collect() {
      this.reset();
      this.inc(connections.stalled);
    },
  });
}
