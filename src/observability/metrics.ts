import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CachedQuery } from './cached-query.ts';
import { memoryMetrics } from './memory-metrics.ts';

/**
 * Gauges of prom-client with the suffix of counters, which `promtool check metrics` refuses. They
 * are the sums of the metrics without it.
 */
const MISNAMED_GAUGES = ['resources', 'handles', 'requests'].map(
  (what) => `nodejs_active_${what}_total`,
);

/**
 * Declares all metrics. They are incremented at the edges. Labels have few values and never user
 * text. `docs/operations/metrics.md` describes them.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const sources: Sources = {};
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED_GAUGES) registry.removeSingleMetric(name);
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
    deliveries: outcomeMetrics(registers, 'rapsheet_webhook_deliveries_total', 'deliver a webhook'),
    mails: outcomeMetrics(registers, 'rapsheet_mail_deliveries_total', 'send a mail'),
    memory: memoryMetrics(registers),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Functions that a scrape calls. Components set them; a metric without its source has no value. */
export interface Sources {
  listeners?: () => number;
  queue?: () => Promise<readonly KindBacklog[]>;
  connections?: () => readonly PoolCounts[];
  clock?: () => ClockState;
}

export interface ClockState {
  /** How far the clock of this machine is ahead of the right time. */
  readonly offsetSeconds: number;
  /** Whether housekeeping is paused until the clock is right. */
  readonly isPaused: boolean;
}

/** The pending jobs of one kind. */
export interface KindBacklog {
  readonly kind: string;
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** The state of one connection pool. */
export interface PoolCounts {
  readonly pool: string;
  readonly inUse: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
  readonly limit: number;
}

type Registers = Registry[];

function httpMetrics(registers: Registers) {
  return {
    requests: new Histogram({
      name: 'rapsheet_http_request_seconds',
      help: 'Time from a request to its response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    badTokens: new Counter({
      name: 'rapsheet_bad_tokens_total',
      help: 'Requests with an invalid token',
      registers,
    }),
    limitRefusals: byLabel(
      new Counter({
        name: 'rapsheet_account_limit_refusals_total',
        help: 'Requests that were refused because the account had reached a limit',
        labelNames: ['limit'],
        registers,
      }),
      [
        'uploads',
        'streams',
        'websockets',
        'exports',
        'tokens',
        'stored_bytes',
        'status_bytes',
        'create_rate',
        'upload_rate',
      ],
    ),
  };
}

function unitMetrics(registers: Registers) {
  return byLabel(
    new Counter({
      name: 'rapsheet_quota_units_total',
      help: 'Quota units that clients requested: one for each lookup, including those of a batch',
      labelNames: ['outcome'],
      registers,
    }),
    ['served', 'refused'],
  );
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
      help: 'Analyses in progress',
      registers,
    }),
    seconds: new Histogram({
      name: 'rapsheet_analysis_seconds',
      help: 'Duration of an attempt to analyse a sample, with any outcome',
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    }),
    ended: byLabel(
      new Counter({
        name: 'rapsheet_analyses_total',
        help: 'Attempts to analyse a sample, by outcome',
        labelNames: ['outcome'],
        registers,
      }),
      ['done', 'failed', 'again', 'gone'],
    ),
    failures: byLabel(
      new Counter({
        name: 'rapsheet_analysis_failures_total',
        help: 'Failed attempts to analyse a sample, by cause',
        labelNames: ['failure'],
        registers,
      }),
      ['timeout', 'crashed', 'bad-report', 'unreadable', 'interrupted', 'unavailable'],
    ),
  };
}

/** Attempts at deliveries. */
function outcomeMetrics(registers: Registers, name: string, what: string) {
  return byLabel(
    new Counter({
      name,
      help: `Attempts to ${what}, by outcome`,
      labelNames: ['outcome'],
      registers,
    }),
    ['delivered', 'again', 'dead', 'released'],
  );
}

function declareListeners(registers: Registers, sources: Sources): void {
  new Gauge({
    name: 'rapsheet_stream_listeners',
    help: 'Open streams of feeds',
    registers,
    collect() {
      this.set(sources.listeners?.() ?? 0);
    },
  });
}

/** Several or frequent scrapes do not query the queue more often than this. */
const MAX_AGE_MS = 5000;
/** If the store takes longer, the scrape returns the other metrics without this one. */
const TIMEOUT_MS = 1000;

function declareQueue(registers: Registers, sources: Sources): void {
  const readBacklogs = async () => (await sources.queue?.()) ?? [];
  const backlogs = new CachedQuery(readBacklogs, { maxAgeMs: MAX_AGE_MS, timeoutMs: TIMEOUT_MS });
  const declare = (name: string, help: string, read: (backlog: KindBacklog) => number) => {
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      // All processes of a store read the same value.
      aggregator: 'max',
      async collect() {
        const found = (await backlogs.read()) ?? [];
        this.reset();
        for (const backlog of found) this.set({ kind: backlog.kind }, read(backlog));
      },
    });
  };
  declare('rapsheet_queue_jobs', 'Pending jobs', ({ waiting }) => waiting);
  declare(
    'rapsheet_queue_oldest_seconds',
    'Age of the oldest pending job',
    ({ oldestSeconds }) => oldestSeconds,
  );
}

function declareConnections(registers: Registers, sources: Sources): void {
  const declare = (name: string, help: string, read: (counts: PoolCounts) => number) => {
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const counts of sources.connections?.() ?? [])
          this.set({ pool: counts.pool }, read(counts));
      },
    });
  };
  declare('rapsheet_postgres_connections_in_use', 'Connections in use', ({ inUse }) => inUse);
  declare(
    'rapsheet_postgres_connections_limit',
    'Largest number of connections',
    ({ limit }) => limit,
  );
  declare(
    'rapsheet_postgres_waiting',
    'Requests that wait for a connection',
    ({ waiting }) => waiting,
  );
}

function declareClock(registers: Registers, sources: Sources): void {
  const declare = (
    name: string,
    help: string,
    aggregator: 'average' | 'max',
    read: (state: ClockState) => number,
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
    'How far the clock of this machine is ahead of the right time, if that is known',
    'average',
    ({ offsetSeconds }) => offsetSeconds,
  );
  declare(
    'rapsheet_housekeeping_paused',
    '1 while housekeeping is paused, so that nothing expires, because the clock is wrong',
    'max',
    ({ isPaused }) => Number(isPaused),
  );
}

interface Count {
  inc(by?: number): void;
}

/**
 * A counter for each value of the label. All start at zero, so that each series exists from the
 * start.
 */
function byLabel<Label extends string, Value extends string>(
  counter: Counter<Label>,
  values: readonly Value[],
): Readonly<Record<Value, Count>> {
  const counts = values.map((value): [Value, Count] => {
    const child = counter.labels(value);
    child.inc(0);
    return [value, { inc: (by) => child.inc(by) }];
  });
  // The type of `fromEntries` loses the keys.
  return Object.fromEntries(counts) as Record<Value, Count>;
}
