import { Section } from '../../components/page.tsx';
import { BarList } from '../../components/plots/bar-list.tsx';
import { Plot } from '../../components/plots/plot.tsx';
import { Sparkline } from '../../components/plots/sparkline.tsx';
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
