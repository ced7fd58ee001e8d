import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { memoryMetrics } from './memory-metrics.ts';
import { Recent } from './recent.ts';

/**
 * All numbers that are kept, declared once. They count at the edges; labels are few and never user text. They are
 * described in `docs/operations/metrics.md`.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const sources: Sources = {};
  collectDefaultMetrics({ register: registry });
  declareListeners(registers, sources);
  declareQueue(registers, sources);
  declareConnections(registers, sources);
  declareClock(registers, sources);
  return {
    registry,
    sources,
    ...httpMetrics(registers),
    units: unitMetrics(registers),
    analyses: analysisMetrics(registers),
    deliveries: deliveryMetrics(registers),
    memory: memoryMetrics(registers),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Who is asked when the numbers are shown. Set by whoever knows; where nobody does, there is no such number. */
export interface Sources {
  listeners?: () => number;
  queue?: () => Promise<readonly KindBacklog[]>;
  connections?: () => readonly PoolCounts[];
  clock?: () => ClockState;
}

export interface ClockState {
  /** How far the clock of this machine is ahead. */
  readonly offsetSeconds: number;
  /** Whether housekeeping waits for it to be right. */
  readonly isPaused: boolean;
}

/** What waits in the queue, of one kind. */
export interface KindBacklog {
  readonly kind: string;
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** Of one pool of connections to the database. */
export interface PoolCounts {
  readonly pool: string;
  readonly inUse: number;
  /** Who wants one and has none. */
  readonly waiting: number;
  readonly limit: number;
}

type Registers = Registry[];

function httpMetrics(registers: Registers) {
  return {
    requests: new Histogram({
      name: 'rapsheet_http_request_seconds',
      help: 'Time from a request to its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    badTokens: new Counter({
      name: 'rapsheet_bad_tokens_total',
      help: 'Calls with a token that was not valid',
      registers,
    }),
    limitRefusals: byLabel(
      new Counter({
        name: 'rapsheet_account_limit_refusals_total',
        help: 'Calls that were refused because their account had reached a limit',
        labelNames: ['limit'],
        registers,
      }),
      ['uploads', 'streams', 'websockets', 'tokens', 'stored_bytes', 'create_rate', 'upload_rate'],
    ),
  };
}

/**
 * Plain numbers, for others to add to: they are counted with every lookup, and to find a counter by its label would take
 * a quarter of a microsecond.
 */
function unitMetrics(registers: Registers) {
  const units = { served: 0, refused: 0 };
  new Counter({
    name: 'rapsheet_quota_units_total',
    help: 'Units of quota that callers asked for: one for each lookup, also in a batch',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(units)) this.inc({ outcome }, count);
    },
  });
  return units;
}

function analysisMetrics(registers: Registers) {
  return {
    workers: new Gauge({
      name: 'rapsheet_analysis_workers',
      help: 'How many samples can be analysed at once',
      registers,
    }),
    running: new Gauge({
      name: 'rapsheet_analyses_running',
      help: 'Analyses that are under way',
      registers,
    }),
    seconds: new Histogram({
      name: 'rapsheet_analysis_seconds',
      help: 'Time that a try to analyse a sample took, however it ended',
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
    ended: byLabel(
      new Counter({
        name: 'rapsheet_analyses_total',
        help: 'Tries to analyse a sample, by what became of it',
        labelNames: ['outcome'],
        registers,
      }),
      ['done', 'failed', 'again', 'gone'],
    ),
    failures: byLabel(
      new Counter({
        name: 'rapsheet_analysis_failures_total',
        help: 'Tries to analyse a sample that failed, by why',
        labelNames: ['failure'],
        registers,
      }),
      ['timeout', 'crashed', 'bad-report', 'unreadable', 'interrupted', 'unavailable'],
    ),
  };
}

function deliveryMetrics(registers: Registers) {
  return byLabel(
    new Counter({
      name: 'rapsheet_webhook_deliveries_total',
      help: 'Attempts to deliver a webhook, by what became of the delivery',
      labelNames: ['outcome'],
      registers,
    }),
    ['delivered', 'again', 'dead', 'released'],
  );
}

function declareListeners(registers: Registers, sources: Sources): void {
  new Gauge({
    name: 'rapsheet_stream_listeners',
    help: 'Callers who follow a feed as it happens',
    registers,
    collect() {
      this.set(sources.listeners?.() ?? 0);
    },
  });
}

/** How old the answer of the queue may be: whoever scrapes more often, or twice, asks the store no more often. */
const FRESH_MS = 5000;
/** A store that takes longer keeps nobody from the other numbers. */
const PATIENCE_MS = 1000;

function declareQueue(registers: Registers, sources: Sources): void {
  const ask = async () => (await sources.queue?.()) ?? [];
  const backlog = new Recent(ask, { freshMs: FRESH_MS, patienceMs: PATIENCE_MS });
  const declare = (name: string, help: string, read: (of: KindBacklog) => number) => {
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      // All who share a store are told the same.
      aggregator: 'max',
      async collect() {
        const kinds = (await backlog.read()) ?? [];
        this.reset();
        for (const of of kinds) this.set({ kind: of.kind }, read(of));
      },
    });
  };
  declare('rapsheet_queue_jobs', 'Jobs that wait', ({ waiting }) => waiting);
  declare(
    'rapsheet_queue_oldest_seconds',
    'Since the oldest of the jobs that wait was added',
    ({ oldestSeconds }) => oldestSeconds,
  );
}

function declareConnections(registers: Registers, sources: Sources): void {
  const declare = (name: string, help: string, read: (of: PoolCounts) => number) => {
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const of of sources.connections?.() ?? []) this.set({ pool: of.pool }, read(of));
      },
    });
  };
  declare(
    'rapsheet_postgres_connections_in_use',
    'Connections that are in use',
    ({ inUse }) => inUse,
  );
  declare(
    'rapsheet_postgres_connections_limit',
    'Connections that there can be',
    ({ limit }) => limit,
  );
  declare(
    'rapsheet_postgres_waiting',
    'Those who want a connection and have none',
    ({ waiting }) => waiting,
  );
}

function declareClock(registers: Registers, sources: Sources): void {
  const declare = (
    name: string,
    help: string,
    aggregator: 'average' | 'max',
    read: (of: ClockState) => number,
  ) => {
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      collect() {
        const state = sources.clock?.();
        if (state !== undefined) this.set(read(state));
      },
    });
  };
  declare(
    'rapsheet_clock_offset_seconds',
    'How far the clock of this machine is ahead of the right time, as far as that is known',
    'average',
    ({ offsetSeconds }) => offsetSeconds,
  );
  declare(
    'rapsheet_housekeeping_paused',
    '1 while nothing expires and nothing old is deleted, because the clock is wrong',
    'max',
    ({ isPaused }) => Number(isPaused),
  );
}

interface Count {
  inc(): void;
}

/** A counter for each of the values that its label can have, which are all there from the start: at zero. */
function byLabel<Label extends string, Value extends string>(
  counter: Counter<Label>,
  values: readonly Value[],
): Readonly<Record<Value, Count>> {
  const counts = values.map((value): [Value, Count] => {
    const child = counter.labels(value);
    child.inc(0);
    return [value, { inc: () => child.inc() }];
  });
  // It has what the list has, which the type of `fromEntries` does not say.
  return Object.fromEntries(counts) as Record<Value, Count>;
}
