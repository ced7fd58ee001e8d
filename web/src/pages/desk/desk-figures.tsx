import type { FeedStatistics } from '../../../../src/client/wire.ts';
import { count, formatDuration, formatNumber } from '../../text/format.ts';
import styles from './desk-figures.module.css';

type TimeToAct = FeedStatistics['timeToAct'];

interface Props {
  /** `undefined` until they are loaded. */
  readonly statistics: FeedStatistics | undefined;
}

const HEIGHT = 32;
const BAR = 12;

/** How fast the desk answers: the median, and how the answers of 30 days spread. */
export function DeskFigures({ statistics }: Props) {
  if (statistics === undefined || statistics.timeToAct.acted === 0)
    return <div className={styles['figures']} />;
  const { timeToAct } = statistics;
  const { medianSeconds, acted } = timeToAct;
  return (
    <div className={styles['figures']}>
      <Histogram timeToAct={timeToAct} />
      <p>
        <b>{medianSeconds === null ? '–' : formatDuration(medianSeconds * 1000)}</b> median time to
        act
        <br />
        <span className={styles['note']}>{count(acted, 'report')} answered in 30 days</span>
      </p>
    </div>
  );
}

function Histogram({ timeToAct: { buckets } }: { readonly timeToAct: TimeToAct }) {
  const most = Math.max(1, ...buckets.map(({ reports }) => reports));
  return (
    <figure className={styles['histogram']} aria-label="Time to act of the answers of 30 days">
      <svg viewBox={`0 0 ${buckets.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {buckets.map(({ upToSeconds, reports }, index) => {
          const height = reports === 0 ? 1 : Math.max(3, (reports / most) * HEIGHT);
          return (
            <rect
              key={upToSeconds ?? 'longer'}
              x={index * BAR + 1}
              y={HEIGHT - height}
              width={BAR - 2}
              height={height}
              className={reports === 0 ? styles['none'] : styles['bar']}
            >
              <title>{`${rangeOf(buckets, index)}: ${formatNumber(reports)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className={styles['axis']} aria-hidden>
        <span>15 min</span>
        <span>1 d</span>
        <span>&gt; 30 d</span>
      </div>
      <ul className="visually-hidden">
        {buckets.map(({ upToSeconds, reports }, index) => (
          <li key={upToSeconds ?? 'longer'}>
            {rangeOf(buckets, index)}: {count(reports, 'report')}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function rangeOf(buckets: TimeToAct['buckets'], index: number): string {
  const upTo = buckets[index]?.upToSeconds ?? null;
  if (upTo !== null) return `up to ${formatDuration(upTo * 1000)}`;
  const from = buckets[index - 1]?.upToSeconds ?? 0;
  return `longer than ${formatDuration(from * 1000)}`;
}
