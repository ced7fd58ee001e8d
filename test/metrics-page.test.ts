import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createMetrics } from '../src/observability/metrics.ts';

const text = readFileSync(new URL('../docs/operations/metrics.md', import.meta.url), 'utf8');

interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** The types of prom-client lack `labelNames`, which every metric has. */
type Declared = Described & { readonly labelNames: readonly string[] };

const declared = (createMetrics().registry.getMetricsAsArray() as unknown as Declared[]).map(
  ({ name, type, labelNames }): Described => ({ name, type, labels: labelNames }),
);

const codeSpans = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

/** The text between the heading and the next one. */
function section(heading: string): string {
  const [, found] = text.split(`\n## ${heading}\n`);
  assert.ok(found, heading);
  return found.split('\n## ')[0] ?? '';
}

/** The table rows that describe a metric. */
function rowsOf(heading: string) {
  return section(heading)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , type = '']) => ['counter', 'gauge', 'histogram'].includes(type))
    .map(([, name, type = '', labels, description, alert]) => ({
      described: { name: codeSpans(name).join(), type, labels: codeSpans(labels) },
      description,
      alert,
    }));
}

const byName = (metrics: readonly Described[]) =>
  metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));

const isOurs = ({ name }: Described) => name.startsWith('rapsheet_');

describe('the documentation of the metrics', () => {
  const ours = rowsOf('Ours');
  const others = rowsOf('Of the process');

  it('lists exactly our metrics, with types and labels', () => {
    assert.deepEqual(
      byName(ours.map(({ described }) => described)),
      byName(declared.filter(isOurs)),
    );
  });

  it('describes each of our metrics, and when to alert', () => {
    for (const { described, description, alert } of ours)
      assert.ok(description && alert, described.name);
  });

  const skip = process.platform !== 'linux' && 'prom-client has other metrics on this platform';
  it('lists exactly the metrics of the process', { skip }, () => {
    assert.deepEqual(
      byName(others.map(({ described }) => described)),
      byName(declared.filter((metric) => !isOurs(metric))),
    );
  });

  it('lists all initial label values of our metrics', async () => {
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
    const documented = new Set(codeSpans(section('Ours')));
    assert.ok(values.length > 10);
    assert.deepEqual(
      values.filter((value) => !documented.has(value)),
      [],
    );
  });
});
