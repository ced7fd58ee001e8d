import { drawing, element, text } from './svg.ts';

/** One small chart: the ratio of each size to the first. */
export interface Series {
  readonly name: string;
  readonly ratios: readonly number[];
}

export interface MultiplesPlan {
  readonly title: string;
  readonly description: string;
  readonly sizes: readonly number[];
  /** The greatest ratio that meets the target. */
  readonly limit: number;
}

const COLUMNS = 6;
const CELL = { width: 156, height: 78 };
const CHART = { left: 8, top: 22, width: 140, height: 44 };
const HEAD_HEIGHT = 62;
const MARGIN = 12;
/** The range of the vertical axis. Values outside are drawn at its edge. */
const LEAST = 0.5;
const MOST = 2;

const STYLE = `
    .line { fill: none; stroke: #1f7a5c; stroke-width: 2; }
    .dot { fill: #1f7a5c; }
    .above .line { stroke: #b3261e; }
    .above .dot, .above .ratio { fill: #b3261e; }
    .unit { stroke: #9aa7b5; stroke-width: 1; }
    .limit { stroke: #b3261e; stroke-width: 1; stroke-dasharray: 4 3; }
    .name { font-size: 10.5px; }
    .ratio { font-size: 10.5px; font-weight: 600; text-anchor: end; }
    @media (prefers-color-scheme: dark) {
      .line { stroke: #53c39b; }
      .dot { fill: #53c39b; }
      .above .line { stroke: #ff8a80; }
      .above .dot, .above .ratio { fill: #ff8a80; }
      .unit { stroke: #5b6b7f; }
      .limit { stroke: #ff8a80; }
    }`;

function x(size: number, sizes: readonly number[]): number {
  const [first = 1, last = first] = [sizes[0], sizes.at(-1)];
  const share = last === first ? 0 : Math.log(size / first) / Math.log(last / first);
  return CHART.left + share * CHART.width;
}

function y(ratio: number): number {
  const bounded = Math.min(MOST, Math.max(LEAST, ratio));
  const share = Math.log(bounded / LEAST) / Math.log(MOST / LEAST);
  return CHART.top + (1 - share) * CHART.height;
}

function level(kind: string, ratio: number): string {
  const [x1, x2] = [CHART.left, CHART.left + CHART.width];
  return element('line', { class: kind, x1, x2, y1: y(ratio), y2: y(ratio) });
}

/** Shortens a name to what fits beside the ratio. */
const shorten = (name: string) => (name.length > 22 ? `${name.slice(0, 21)}…` : name);

function cell({ name, ratios }: Series, { sizes, limit }: MultiplesPlan, index: number): string {
  const points = ratios.map((ratio, at) => [x(sizes[at] ?? 1, sizes), y(ratio)] as const);
  const last = ratios.at(-1) ?? Number.NaN;
  const left = MARGIN + (index % COLUMNS) * CELL.width;
  const top = HEAD_HEIGHT + Math.floor(index / COLUMNS) * CELL.height;
  const shapes = [
    level('unit', 1),
    level('limit', limit),
    element('polyline', {
      class: 'line',
      points: points.map((point) => point.map((value) => value.toFixed(1)).join(',')).join(' '),
    }),
    ...points.map(([cx, cy]) => element('circle', { class: 'dot', cx, cy, r: 2.5 })),
    text({ class: 'name', x: CHART.left, y: 14 }, shorten(name)),
    text({ class: 'ratio', x: CHART.left + CHART.width, y: 14 }, last.toFixed(2)),
  ];
  const kind = last > limit ? 'cell above' : 'cell';
  return element('g', { class: kind, transform: `translate(${left} ${top})` }, shapes.join(''));
}

/** Small multiples: a chart per series on the same logarithmic axes. */
export function drawMultiples(series: readonly Series[], plan: MultiplesPlan): string {
  const rows = Math.ceil(series.length / COLUMNS);
  return drawing({
    width: 2 * MARGIN + COLUMNS * CELL.width,
    height: HEAD_HEIGHT + rows * CELL.height + MARGIN,
    title: plan.title,
    description: plan.description,
    style: STYLE,
    content: [
      text({ class: 'head', x: MARGIN + CHART.left, y: 28 }, plan.title),
      text({ class: 'small', x: MARGIN + CHART.left, y: 47 }, plan.description),
      ...series.map((one, index) => cell(one, plan, index)),
    ],
  });
}
