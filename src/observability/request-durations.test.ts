import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { RequestDurations } from './request-durations.ts';

const LABELS = { method: 'GET', route: '/livez', status: '200' };
const DURATIONS_MS = [0, 0.5, 1, 1.5, 30, 250, 4999, 60_000];

function registryWith(durations: readonly number[]): Registry {
  const registry = new Registry();
  const series = new RequestDurations(registry).addSeries(LABELS);
  for (const ms of durations) series.observe(ms);
  return registry;
}

describe('the durations of requests', () => {
  it('are exported like a histogram of prom-client', async () => {
    const registry = new Registry();
    const histogram = new Histogram({
      name: 'rapsheet_http_request_seconds',
      help: 'Time from a request to its response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [registry],
    });
    for (const ms of DURATIONS_MS) histogram.observe(LABELS, ms / 1000);
    assert.equal(await registryWith(DURATIONS_MS).metrics(), await registry.metrics());
  });

  it('are summed over processes', async () => {
    const values = [[1], [1, 3000]].map((ms) => registryWith(ms).getMetricsAsJSON());
    const text = await AggregatorRegistry.aggregate(await Promise.all(values)).metrics();
    assert.match(text, /seconds_count\{.*\} 3\n/);
    assert.match(text, /seconds_sum\{.*\} 3\.002\n/);
    assert.match(text, /seconds_bucket\{le="0.001",.*\} 2\n/);
  });
});
