import { lazy, Suspense } from 'react';
import styles from './plot.module.css';

// Plots are below what is read first, so their code is loaded with them.
const TimePlot = lazy(() => import('./time-plot.tsx'));

export interface Series {
  readonly label: string;
  /** A value for each time. */
  readonly values: readonly (number | null)[];
}

export interface PlotProps {
  /** Read aloud, with a table of the values for those who do not see the plot. */
  readonly label: string;
  /** Seconds since 1970, in order. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** Called with a range that was selected with the pointer, in seconds. */
  readonly onSelect?: (from: number, to: number) => void;
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
    </figure>
  );
}

function Space({ height }: { readonly height: number }) {
  return <svg width="1" height={height} aria-hidden />;
}
