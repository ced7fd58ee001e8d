import type { FeedStatistics } from '../../../../src/client/wire.ts';
import { TimeHistogram } from '../../components/plots/time-histogram.tsx';
import { count, formatDuration } from '../../text/format.ts';
import styles from './desk-figures.module.css';

interface Props {
  /** `undefined` until they are loaded. */
  readonly statistics: FeedStatistics | undefined;
}

/** How fast the desk answers: the median, and how the answers of 30 days spread. */
export function DeskFigures({ statistics }: Props) {
  if (statistics === undefined || statistics.timeToAct.acted === 0)
    return <div className={styles['figures']} />;
  const { timeToAct } = statistics;
  const { medianSeconds, acted } = timeToAct;
  return (
    <div className={styles['figures']}>
      <div className={styles['histogram']}>
        <TimeHistogram label="Time to act of the answers of 30 days" buckets={timeToAct.buckets} />
      </div>
      <p>
        <b>{medianSeconds === null ? '–' : formatDuration(medianSeconds * 1000)}</b> median time to
        act
        <br />
        <span className={styles['note']}>{count(acted, 'report')} answered in 30 days</span>
      </p>
    </div>
  );
}
