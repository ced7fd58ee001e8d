import { useEffect, useState } from 'react';
import { Empty } from '../../components/states.tsx';
import { formatDuration } from '../../text/format.ts';
import styles from './file-page.module.css';

/** Shows how far an analysis is. Asking for its state is free. */
export function AnalysisPending({ isRunning }: { readonly isRunning: boolean }) {
  const elapsedMs = useElapsed();
  return (
    <Empty title={isRunning ? 'The file is being analysed' : 'The file waits for its analysis'}>
      <p>Most files take a second. The page appears by itself; leaving it changes nothing.</p>
      <progress className={styles['progress']} aria-label="Analysis" />
      <p role="status">
        {isRunning ? 'Step 2 of 2: analysis' : 'Step 1 of 2: queue'}, for{' '}
        {formatDuration(elapsedMs)}
      </p>
    </Empty>
  );
}

function useElapsed(): number {
  const [start] = useState(() => Date.now());
  const [now, setNow] = useState(start);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now - start;
}
