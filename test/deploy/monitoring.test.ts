import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observability/metrics.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const RULES = join(PROMETHEUS, 'rapsheet.rules.yaml');
const TESTS = join(PROMETHEUS, 'rapsheet.rules.test.yaml');

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const metrics = createMetrics().registry.getMetricsAsArray() as unknown as Metric[];
const alerts: readonly Alert[] = parse(readFileSync(RULES, 'utf8')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);

/** Expressions name the series of a histogram. */
function metricOf(series: string): Metric | undefined {
  const histogram = series.replace(/_(?:bucket|count|sum)$/, '');
  return (
    metrics.find(({ name }) => name === series) ??
    metrics.find(({ name, type }) => type === 'histogram' && name === histogram)
  );
}

/** Prometheus adds these to every series. */
const ADDED = ['job', 'instance'];

function assertKnown(expression: string): void {
  const selectors = [
    ...expression.matchAll(/\b((?:rapsheet|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
  ];
  for (const [, series = '', labels = ''] of selectors) {
    const metric = metricOf(series);
    assert.ok(metric, series);
    const known = [...metric.labelNames, ...ADDED, ...(series.endsWith('_bucket') ? ['le'] : [])];
    for (const [, label = ''] of labels.matchAll(/(\w+)(?:=|!=)/g))
      assert.ok(known.includes(label), `${label} of ${series}`);
    for (const [, grouped = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of grouped.split(', '))
        assert.ok(known.includes(label), `${label} of ${series}`);
  }
  assert.ok(selectors.length > 0 || /\bup\{/.test(expression), expression);
}

describe('the alerts for Prometheus', () => {
  it('use metrics and labels that exist', () => {
    assert.ok(alerts.length >= 12);
    for (const { expr } of alerts) assertKnown(expr);
  });

  it('say what happened and what to do', () => {
    for (const { alert, labels, annotations } of alerts) {
      assert.match(labels.severity, /^(?:critical|warning)$/, alert);
      assert.ok(annotations.summary && annotations.description, alert);
    }
  });

  it('are the ones that the page of the metrics lists', () => {
    const page = readFileSync(join(ROOT, 'docs/operations/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| `(critical|warning)` +\|/gm)];
    assert.deepEqual(
      rows.map(([, alert, severity]) => [alert, severity]),
      alerts.map(({ alert, labels }) => [alert, labels.severity]),
    );
  });

  it('have a test each', () => {
    const tests = readFileSync(TESTS, 'utf8');
    for (const { alert } of alerts) assert.ok(tests.includes(`alertname="${alert}"`), alert);
  });

  const skip = spawnSync('promtool', ['--version']).error && 'promtool is not installed';
  it('pass promtool and its tests', { skip }, () => {
    for (const args of [
      ['check', 'rules', RULES],
      ['test', 'rules', TESTS],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    }
  });
});

describe('the dashboard for Grafana', () => {
  interface Panel {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
    readonly targets: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(
    readFileSync(join(ROOT, 'deploy/grafana/rapsheet.json'), 'utf8'),
  ) as { panels: readonly Panel[] };

  for (const { title, targets } of panels)
    it(`uses metrics and labels that exist in "${title}"`, () => {
      assert.ok(targets.length > 0);
      for (const { expr } of targets) assertKnown(expr);
    });

  it('shows each of our metrics', () => {
    const shown = new Set(
      panels.flatMap(({ targets }) =>
        targets.flatMap(({ expr }) =>
          [...expr.matchAll(/\brapsheet_\w+/g)].map(([series]) => metricOf(series)?.name),
        ),
      ),
    );
    const hidden = metrics.filter(({ name }) => name.startsWith('rapsheet_') && !shown.has(name));
    assert.deepEqual(hidden.map(({ name }) => name).sort(), [
      'rapsheet_analyses_running',
      'rapsheet_analysis_workers',
      'rapsheet_clock_offset_seconds',
      'rapsheet_http_connections_stalled_total',
    ]);
  });

  it('has panels that do not overlap', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.equal(
      new Set(panels.map(({ gridPos }) => `${gridPos.x}/${gridPos.y}`)).size,
      panels.length,
    );
    for (const { gridPos, title } of panels) assert.ok(gridPos.x + gridPos.w <= 24, title);
  });
});
