import { lazy, Suspense } from 'react';
import { formatNumber } from '../text/format.ts';
import styles from './plot.module.css';

// Plots are below what is read first, so their code is loaded with them.
const TimePlot = lazy(() => import('./time-plot.tsx'));

export interface Series {
  readonly label: string;
  /** A value for each time. */
  readonly values: readonly (number | null)[];
  /** Bars for amounts of a day; a line by default. */
  readonly look?: 'line' | 'bars';
}

export interface PlotProps {
  /** Read aloud, with a table of the values for those who do not see the plot. */
  readonly label: string;
  /** Seconds since 1970, in order. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  /**
   * Called with a range of time, in seconds: drawn with the pointer, or the step that was clicked
   * or chosen with the arrow keys and Enter.
   */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
  /** The range that is in force, shaded. */
  readonly selected?: { readonly from: number; readonly to: number } | undefined;
  readonly format?: (value: number) => string;
}

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
