import Plotter from 'uplot';
import type { PlotProps } from './plot-props.ts';

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly times: readonly number[];
  readonly series: PlotProps['series'];
  readonly format: PlotProps['format'];
  readonly select: ((from: number, to: number) => void) | undefined;
}

const DAY = 86_400;
const DAY_STEPS = [1, 2, 5, 7, 10, 15, 30, 60, 90, 180, 365].map((days) => days * DAY);
/** 1, 2, 5, 10, 20, 50, … */
const AMOUNTS = [...Array(9).keys()].flatMap((zeros) =>
  [1, 2, 5].map((digit) => digit * 10 ** zeros),
);
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });
const DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The options of uPlot: the colours of the theme, times in UTC. */
export function optionsOf(drawing: Drawing): Plotter.Options {
  const { width, height, series, select } = drawing;
  return {
    width,
    height: series.length > 1 ? height - 24 : height,
    legend: { show: series.length > 1 },
    cursor: {
      drag: { x: select !== undefined, y: false, setScale: false },
      points: { show: false },
    },
    tzDate: (seconds) => Plotter.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    ...(series.some(({ look }) => look === 'bars') && { scales: { x: { range: roomForBars } } }),
    axes: axesOf(drawing),
    series: [
      { label: 'Day', value: (_, time) => (time == null ? '' : DAYS.format(time * 1000)) },
      ...series.map((one, index) => seriesOf(one, index)),
    ],
    hooks: select === undefined ? {} : hooksOf(select, drawing.times),
  };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axesOf({ series, format }: Drawing): Plotter.Axis[] {
  const axis = {
    stroke: colour('--ink-soft'),
    font: `12px ${colour('--font')}`,
    grid: { stroke: colour('--plot-grid'), width: 1 },
    ticks: { show: false },
  };
  const isOfDays = series.some(({ look }) => look === 'bars');
  const dayAxis = {
    grid: { show: false },
    incrs: DAY_STEPS,
    values: (_: Plotter, times: number[]) => times.map((time) => DAYS.format(time * 1000)),
  };
  return [
    { ...axis, size: 24, gap: 2, ...(isOfDays && dayAxis) },
    {
      ...axis,
      size: 40,
      incrs: isOfDays ? AMOUNTS : undefined,
      values: (_, values) => values.map(format ?? ((value) => SHORT.format(value))),
    } as Plotter.Axis,
  ];
}

function seriesOf({ label, look }: PlotProps['series'][number], index: number): Plotter.Series {
  const stroke = colour(`--plot-${1 + (index % 5)}`);
  const value = (_: Plotter, amount: number | null) => (amount == null ? '' : SHORT.format(amount));
  if (look !== 'bars') return { label, value, stroke, width: 1.5, points: { show: false } };
  return {
    label,
    value,
    stroke,
    fill: stroke,
    width: 0,
    points: { show: false },
    ...(Plotter.paths.bars !== undefined && { paths: Plotter.paths.bars({ size: [0.7, 28] }) }),
  };
}

/** Half a bar beyond the first and the last time. */
function roomForBars(plot: Plotter, from: number, to: number): [number, number] {
  const count = plot.data[0]?.length ?? 2;
  const step = count < 2 ? DAY : (to - from) / (count - 1);
  return [from - step * 0.6, to + step * 0.6];
}

/** A range that was drawn, extended to whole steps; a click selects the step. */
function hooksOf(
  select: (from: number, to: number) => void,
  times: readonly number[],
): Plotter.Hooks.Arrays {
  const step = times.length < 2 ? DAY : (times[1] ?? 0) - (times[0] ?? 0);
  // A bar stands on the middle of its step.
  const near = (plot: Plotter, left: number) => times[plot.posToIdx(left)] ?? 0;
  let wasDrawn = false;
  return {
    setSelect: [
      (plot) => {
        const { left, width } = plot.select;
        wasDrawn = width > 4;
        if (wasDrawn) select(near(plot, left), near(plot, left + width) + step);
      },
    ],
    ready: [
      (plot) => {
        plot.over.addEventListener('click', () => {
          const { idx } = plot.cursor;
          if (!wasDrawn && idx !== null && idx !== undefined)
            select(times[idx] ?? 0, (times[idx] ?? 0) + step);
          wasDrawn = false;
        });
      },
    ],
  };
}
