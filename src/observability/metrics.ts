import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** All numbers that are kept, declared once. They count at the edges; labels are few and never user text. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
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
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
