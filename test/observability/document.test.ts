import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createMetrics } from '../../src/observability/metrics.ts';

const text = readFileSync(new URL('../../docs/operations/metrics.md', import.meta.url), 'utf8');

interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** Not in their types: every metric of prom-client has the names of its labels. */
type Declared = Described & { readonly labelNames: readonly string[] };

const declared = (createMetrics().registry.getMetricsAsArray() as unknown as Declared[]).map(
  ({ name, type, labelNames }): Described => ({ name, type, labels: labelNames }),
);

const words = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** What follows the heading, up to the next. */
function section(heading: string): string {
  const [, found] = text.split(`\n## ${heading}\n`);
  assert.ok(found, heading);
  return found.split('\n## ')[0] ?? '';
}

/** The rows of a table that name a metric and what it is. */
function rowsOf(heading: string) {
  return section(heading)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , type = '']) => ['counter', 'gauge', 'histogram'].includes(type))
    .map(([, name, type = '', labels, what, worry]) => ({
      described: { name: words(name).join(), type, labels: words(labels) },
      what,
      worry,
    }));
}

const byName = (metrics: readonly Described[]) =>
  metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));

const isOurs = ({ name }: Described) => name.startsWith('rapsheet_');

describe('the document of the metrics', () => {
  const ours = rowsOf('Ours');
  const others = rowsOf('Of the process');

  it('has each of ours, with its type and its labels, and no other', () => {
    assert.deepEqual(
      byName(ours.map(({ described }) => described)),
      byName(declared.filter(isOurs)),
    );
  });

  it('says of each of ours what it is, and when to worry', () => {
    for (const { described, what, worry } of ours) assert.ok(what && worry, described.name);
  });

  const skip = process.platform !== 'linux' && 'prom-client has others elsewhere';
  it('has each of those of the process, and no other', { skip }, () => {
    assert.deepEqual(
      byName(others.map(({ described }) => described)),
      byName(declared.filter((metric) => !isOurs(metric))),
    );
  });

  it('has every value that a label of ours begins with', async () => {
    const metrics = createMetrics();
    metrics.sources.connections = () =>
      ['gathered', 'reads', 'writes', 'jobs'].map((pool) => ({
        pool,
        inUse: 0,
        waiting: 0,
        limit: 0,
      }));
    const lines = (await metrics.registry.metrics()).split('\n');
    const values = lines
      .filter((line) => line.startsWith('rapsheet_') && !line.includes('_bucket'))
      .flatMap((line) => [...line.matchAll(/="([^"]*)"/g)].map(([, value = '']) => value));
    const told = new Set(words(section('Ours')));
    assert.ok(values.length > 10);
    assert.deepEqual(
      values.filter((value) => !told.has(value)),
      [],
    );
  });
});

describe('the alerts to begin with', () => {
  const alerts = section('Alerts to begin with');
  const selectors = [...alerts.matchAll(/(rapsheet_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', labels = '']) => ({ name, labels }),
  );

  /** A histogram is asked by its parts. */
  const metricOf = (name: string) =>
    declared.find((metric) => metric.name === name) ??
    declared.find(
      (metric) =>
        metric.type === 'histogram' && metric.name === name.replace(/_(?:bucket|count|sum)$/, ''),
    );

  it('ask for metrics and labels that there are', () => {
    assert.ok(selectors.length >= 6);
    for (const { name, labels } of selectors) {
      const metric = metricOf(name);
      assert.ok(metric, name);
      for (const [, label = ''] of labels.matchAll(/(\w+)=/g))
        assert.ok(metric.labels.includes(label), `${label} of ${name}`);
    }
  });
});
