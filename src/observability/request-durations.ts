import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

const NAME = 'rapsheet_http_request_seconds';
const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

interface Labels {
  readonly method: string;
  readonly route: string;
  readonly status: string;
}

/** The durations of the responses of one route with one status. */
export class DurationSeries {
  readonly labels: Labels;
  /** Not cumulative. The last element counts the durations above all bounds. */
  readonly #counts = new Array<number>(BOUNDS_MS.length + 1).fill(0);
  #sumMs = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  observe(ms: number): void {
    let index = 0;
    while (index < BOUNDS_MS.length && ms > (BOUNDS_MS[index] as number)) index += 1;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#sumMs += ms;
  }

  values(): MetricValue<string>[] {
    const { labels } = this;
    let count = 0;
    const buckets = this.#counts.map((own, index) => {
      count += own;
      const le = BOUNDS_SECONDS[index] ?? '+Inf';
      return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: count };
    });
    const sum = { metricName: `${NAME}_sum`, labels: { ...labels }, value: this.#sumMs / 1000 };
    return [...buckets, sum, { metricName: `${NAME}_count`, labels: { ...labels }, value: count }];
  }
}

/**
 * A histogram whose series are plain counters: that of prom-client finds its series by the labels
 * at each observation, which takes longer than finding a report.
 */
export class RequestDurations {
  readonly name = NAME;
  readonly type = 'histogram';
  readonly labelNames = ['method', 'route', 'status'];
  readonly #series: DurationSeries[] = [];

  constructor(registry: Registry) {
    // The registry calls only `get`, and its type knows only its own metrics.
    registry.registerMetric(this as unknown as Metric);
  }

  /** Callers create each series once. */
  addSeries(labels: Labels): DurationSeries {
    const series = new DurationSeries(labels);
    this.#series.push(series);
    return series;
  }

  /** Called by the registry at each scrape. */
  async get(): Promise<Omit<MetricObjectWithValues<MetricValue<string>>, 'collect'>> {
    return {
      name: NAME,
      help: 'Time from a request to its response',
      // The types declare a number, but the registry writes the text.
      type: this.type as never,
      aggregator: 'sum',
      values: this.#series.flatMap((series) => series.values()),
    };
  }
}
