import { Section } from '../../components/page.tsx';
import { BarList } from '../../components/plots/bar-list.tsx';
import { IntervalList } from '../../components/plots/interval-list.tsx';
import { Plot } from '../../components/plots/plot.tsx';
import { Sparkline } from '../../components/plots/sparkline.tsx';
import { TimeHistogram } from '../../components/plots/time-histogram.tsx';
import { Example, Examples } from './example.tsx';
import { NOW } from './samples.ts';

const DAY = 86_400;
const DAYS = Array.from({ length: 30 }, (_, day) => day);
const TIMES = DAYS.map((day) => Math.floor(NOW.getTime() / 1000) - (30 - day) * DAY);
const VALUES = DAYS.map((day) => Math.round(8 + 6 * Math.sin(day / 3) + (day % 5)));
const ONE = [{ label: 'reported', values: VALUES }];
const TWO = [...ONE, { label: 'taken down', values: VALUES.map((value) => value / 2) }];
const BARS = [
  { id: 'a', label: 'ASYNCRAT', value: 42 },
  { id: 'b', label: 'LANTERN', value: 17 },
  { id: 'c', label: 'a-name-that-is-longer-than-its-column-is-wide', value: 1 },
];

const INTERVALS = [
  { id: 'a', label: 'many', share: { value: 0.9, lower: 0.86, upper: 0.93 }, text: '90 %' },
  { id: 'b', label: 'few', share: { value: 0, lower: 0, upper: 0.79 }, text: '0 %' },
  { id: 'c', label: 'none', share: null, text: 'not judged yet' },
];
const TIME_BUCKETS = [900, 3600, 86_400, null].map((upToSeconds, index) => ({
  upToSeconds,
  reports: index * index,
}));

export function PlotExamples() {
  return (
    <Section title="Plots">
      <Examples>
        <Example name="Sparkline: values, nothing, no values">
          <Sparkline label="Reports per day" values={VALUES} />
          <Sparkline label="Reports per day" values={DAYS.map(() => 0)} />
          <Sparkline label="Reports per day" values={[]} />
        </Example>
        <Example name="Bars">
          <BarList label="Families" bars={BARS} />
        </Example>
        <Example name="Bars as filters">
          <BarList label="Families" bars={BARS} selected="b" onSelect={() => undefined} />
        </Example>
        <Example name="Shares with their intervals">
          <IntervalList label="Precision" rows={INTERVALS} />
        </Example>
        <Example name="Histogram of times">
          <TimeHistogram label="Time to act" buckets={TIME_BUCKETS} />
        </Example>
        <Example name="Plot of one series">
          <Plot label="Reports per day" times={TIMES} series={ONE} />
        </Example>
        <Example name="Plot of two series">
          <Plot label="Reports and outcomes per day" times={TIMES} series={TWO} />
        </Example>
      </Examples>
    </Section>
  );
}
