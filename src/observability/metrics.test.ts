import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AggregatorRegistry } from 'prom-client';
import { createMetrics, type KindBacklog } from './metrics.ts';

const linesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(name));

describe('the metrics of the queue', () => {
  const backlog: readonly KindBacklog[] = [{ kind: 'analyse', waiting: 3, oldestSeconds: 1.5 }];

  it('are queried once per scrape, and not again by the next one', async () => {
    const { registry, sources } = createMetrics();
    let asked = 0;
    sources.queue = async () => {
      asked += 1;
      return backlog;
    };
    await registry.metrics();
    const text = await registry.metrics();
    assert.deepEqual(linesOf(text, 'rapsheet_queue'), [
      'rapsheet_queue_jobs{kind="analyse"} 3',
      'rapsheet_queue_oldest_seconds{kind="analyse"} 1.5',
    ]);
    assert.equal(asked, 1);
  });

  it('are absent if the store does not answer, unlike all others', async () => {
    const { registry, sources } = createMetrics();
    sources.queue = () => Promise.reject(new Error('the store is away'));
    const text = await registry.metrics();
    assert.deepEqual(linesOf(text, 'rapsheet_queue'), []);
    assert.deepEqual(linesOf(text, 'rapsheet_bad_tokens_total'), ['rapsheet_bad_tokens_total 0']);
  });

  it('are the same for all processes, and not summed', async () => {
    const all = [createMetrics(), createMetrics()].map(({ registry, sources }) => {
      sources.queue = () => Promise.resolve(backlog);
      return registry.getMetricsAsJSON();
    });
    const text = await AggregatorRegistry.aggregate(await Promise.all(all)).metrics();
    assert.deepEqual(linesOf(text, 'rapsheet_queue_jobs'), [
      'rapsheet_queue_jobs{kind="analyse"} 3',
    ]);
  });
});

describe('the metrics of connections', () => {
  const pools = [
    { pool: 'reads', inUse: 3, waiting: 1, limit: 4 },
    { pool: 'writes', inUse: 0, waiting: 0, limit: 4 },
  ];

  it('are the current values of each pool', async () => {
    const { registry, sources } = createMetrics();
    sources.connections = () => pools;
    assert.deepEqual(linesOf(await registry.metrics(), 'rapsheet_postgres'), [
      'rapsheet_postgres_connections_in_use{pool="reads"} 3',
      'rapsheet_postgres_connections_in_use{pool="writes"} 0',
      'rapsheet_postgres_connections_limit{pool="reads"} 4',
      'rapsheet_postgres_connections_limit{pool="writes"} 4',
      'rapsheet_postgres_waiting{pool="reads"} 1',
      'rapsheet_postgres_waiting{pool="writes"} 0',
    ]);
  });

  it('are absent without connections', async () => {
    const { registry } = createMetrics();
    assert.deepEqual(linesOf(await registry.metrics(), 'rapsheet_postgres'), []);
  });
});

describe('counters that were never incremented', () => {
  it('are exported as zero, so that the first increment is visible', async () => {
    const text = await createMetrics().registry.metrics();
    assert.deepEqual(linesOf(text, 'rapsheet_webhook_deliveries_total'), [
      'rapsheet_webhook_deliveries_total{outcome="delivered"} 0',
      'rapsheet_webhook_deliveries_total{outcome="again"} 0',
      'rapsheet_webhook_deliveries_total{outcome="dead"} 0',
      'rapsheet_webhook_deliveries_total{outcome="released"} 0',
    ]);
    assert.deepEqual(linesOf(text, 'rapsheet_quota_units_total'), [
      'rapsheet_quota_units_total{outcome="served"} 0',
      'rapsheet_quota_units_total{outcome="refused"} 0',
    ]);
  });
});

describe('the names of metrics', () => {
  it('end in _total if they are counters, and only then', async () => {
    const metrics = await createMetrics().registry.getMetricsAsJSON();
    assert.ok(metrics.length > 40);
    for (const { name, type } of metrics)
      assert.equal(name.endsWith('_total'), String(type) === 'counter', name);
  });
});
