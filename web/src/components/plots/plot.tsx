import { lazy, Suspense } from 'react';
import { formatNumber } from '../../text/format.ts';
import styles from './plot.module.css';
import type { PlotProps } from './plot-props.ts';

// Plots are below what is read first, so their code is loaded with them.
const TimePlot = lazy(() => import('./time-plot.tsx'));

/** Values over time. It keeps its height while it loads, so that nothing moves. */
export function Plot(props: PlotProps) {
  const { label, height = 120 } = props;
  return (
    <figure className={styles['plot']} aria-label={label}>
      <Suspense fallback={<Space height={height} />}>
        <TimePlot {...props} height={height} />
      </Suspense>
      <Values {...props} />
    </figure>
  );
}

function Space({ height }: { readonly height: number }) {
  return <svg width="1" height={height} aria-hidden />;
}

/** The plot as a table, read aloud. */
function Values({ label, times, series, format = formatNumber }: PlotProps) {
  return (
    <table className="visually-hidden">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map((one) => (
            <th key={one.label} scope="col">
              {one.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, index) => (
          <tr key={time}>
            <th scope="row">{new Date(time * 1000).toISOString().slice(0, 10)}</th>
            {series.map((one) => (
              <td key={one.label}>{formatValue(one.values[index], format)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatValue(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '' : format(value);
}
