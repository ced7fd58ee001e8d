import 'uplot/dist/uPlot.min.css';
import { useEffect, useEffectEvent, useRef } from 'react';
import Plotter from 'uplot';
import type { PlotProps } from './plot-props.ts';

/** Loaded when the first plot is shown. */
export default function TimePlot({ times, series, height = 120, onSelect, format }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const select = useEffectEvent((from: number, to: number) => onSelect?.(from, to));
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let plot: Plotter | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new Plotter(
        optionsOf({ width: element.clientWidth, height, series, format, select }),
        [[...times], ...series.map(({ values }) => [...values])] as Plotter.AlignedData,
        element,
      );
    };
    draw();
    const observer = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height }),
    );
    observer.observe(element);
    // The colours are those of the theme.
    addEventListener('themechange', draw);
    return () => {
      observer.disconnect();
      removeEventListener('themechange', draw);
      plot?.destroy();
    };
  }, [times, series, height, format]);
  return <div ref={box} />;
}

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly series: PlotProps['series'];
  readonly format: PlotProps['format'];
  readonly select: (from: number, to: number) => void;
}

function optionsOf({ width, height, series, format, select }: Drawing): Plotter.Options {
  const colour = (name: string) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--ink-soft'),
    grid: { stroke: colour('--plot-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: series.length > 1 },
    cursor: { drag: { x: true, y: false, setScale: false } },
    tzDate: (seconds) => Plotter.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    axes: [
      { ...axis, size: 28 },
      {
        ...axis,
        size: 44,
        ...(format !== undefined && { values: (_, values) => values.map(format) }),
      },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => ({
        label,
        stroke: colour(`--plot-${1 + (index % 5)}`),
        width: 1.5,
        points: { show: false },
      })),
    ],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select;
          if (selected > 2) select(plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x'));
        },
      ],
    },
  };
}
