import { lazy, Suspense } from 'react';
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
    </figure>
  );
}

function Space({ height }: { readonly height: number }) {
  return <svg width="1" height={height} aria-hidden />;
}
