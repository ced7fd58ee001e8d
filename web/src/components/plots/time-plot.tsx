import 'uplot/dist/uPlot.min.css';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import Plotter from 'uplot';
import { formatNumber } from '../../text/format.ts';
import styles from './plot.module.css';
import { optionsOf } from './plot-options.ts';
import type { PlotProps } from './plot-props.ts';

/** Loaded when the first plot is shown. */
export default function TimePlot(props: PlotProps) {
  const { times, series, height = 120, selected, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Plotter>(undefined);
  const select = useEffectEvent((from: number, to: number) => props.onSelect?.(from, to));
  const isSelectable = props.onSelect !== undefined;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const draw = () => {
      drawn.current?.destroy();
      drawn.current = new Plotter(
        optionsOf({
          width: element.clientWidth,
          height,
          times,
          series,
          format,
          select: isSelectable ? select : undefined,
        }),
        [[...times], ...series.map(({ values }) => [...values])] as Plotter.AlignedData,
        element,
      );
      shade(drawn.current, selected, stepOf(times));
    };
    draw();
    const observer = new ResizeObserver(() => {
      drawn.current?.setSize({ width: element.clientWidth, height });
      if (drawn.current !== undefined) shade(drawn.current, selected, stepOf(times));
    });
    observer.observe(element);
    // The colours are those of the theme.
    addEventListener('themechange', draw);
    return () => {
      observer.disconnect();
      removeEventListener('themechange', draw);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [times, series, height, format, selected, isSelectable]);
  const slider = useSlider(props, drawn);
  return <div ref={box} className={styles['box']} {...(isSelectable && slider)} />;
}

/** The arrow keys move over the times, Enter selects one. */
function useSlider(
  { label, times, series, format = formatNumber, onSelect }: PlotProps,
  drawn: React.RefObject<Plotter | undefined>,
) {
  const [index, setIndex] = useState(times.length - 1);
  const last = times.length - 1;
  const at = Math.max(0, Math.min(index, last));
  const move = (to: number) => {
    const next = Math.max(0, Math.min(to, last));
    setIndex(next);
    drawn.current?.setCursor({ left: drawn.current.valToPos(times[next] ?? 0, 'x'), top: 0 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) move(to);
    else if (key === 'Enter') onSelect?.(times[at] ?? 0, (times[at] ?? 0) + stepOf(times));
    else return;
    event.preventDefault();
  };
  const values = series.map((one) => `${one.label} ${format(one.values[at] ?? 0)}`).join(', ');
  const day = new Date((times[at] ?? 0) * 1000).toISOString().slice(0, 10);
  return {
    role: 'slider',
    tabIndex: 0,
    'aria-label': `${label}; Enter filters by the chosen day`,
    'aria-valuemin': 0,
    'aria-valuemax': Math.max(0, last),
    'aria-valuenow': at,
    'aria-valuetext': `${day}: ${values}`,
    onKeyDown,
    onFocus: () => move(at),
  };
}

function stepOf(times: readonly number[]): number {
  return times.length < 2 ? 86_400 : (times[1] ?? 0) - (times[0] ?? 0);
}

/** A bar stands on the middle of its step. */
function shade(plot: Plotter, selected: PlotProps['selected'], step: number): void {
  if (selected === undefined) return;
  const { width, height } = plot.over.getBoundingClientRect();
  const bounded = (time: number) =>
    Math.max(0, Math.min(width, plot.valToPos(time - step / 2, 'x')));
  const left = bounded(selected.from);
  plot.setSelect({ left, width: bounded(selected.to) - left, top: 0, height }, false);
}
