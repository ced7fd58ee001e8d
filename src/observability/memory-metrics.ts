import { Counter, Gauge, type Registry } from 'prom-client';

/** The purposes for which memory is held. */
export const MEMORY_KINDS = ['bodies', 'answers', 'streams', 'uploads', 'pipelined'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

export const CONNECTION_REFUSALS = ['total', 'address'] as const;

/** Plain numbers that the HTTP server writes: a metric object would be too slow for each answer. */
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
    help: 'The memory that may be held for clients before new work is refused',
    registers,
    collect() {
      this.set(numbers.budgetBytes);
    },
  });
  new Gauge({
    name: 'rapsheet_memory_held_bytes',
    help: 'Memory that is held for clients, by purpose',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const kind of MEMORY_KINDS) this.set({ kind }, numbers.heldBytes[kind]);
    },
  });
  new Counter({
    name: 'rapsheet_memory_refusals_total',
    help: 'Requests that were refused or aborted because the memory budget was used up',
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
    help: 'Open client connections',
    registers,
    collect() {
      this.set(connections.open);
    },
  });
  new Counter({
    name: 'rapsheet_http_connections_refused_total',
    help: 'Connections that were refused, by the limit that they exceeded',
    labelNames: ['limit'],
    registers,
    collect() {
      this.reset();
      for (const limit of CONNECTION_REFUSALS) this.inc({ limit }, connections.refused[limit]);
    },
  });
  new Counter({
    name: 'rapsheet_http_connections_stalled_total',
    help: 'Connections that were closed because the client did not read the response',
    registers,
    collect() {
      this.reset();
      this.inc(connections.stalled);
    },
  });
}
