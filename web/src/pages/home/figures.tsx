import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FeedStatistics } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { useLiveBatches } from '../../api/live/batches.ts';
import { Sparkline } from '../../components/plots/sparkline.tsx';
import { Failure } from '../../components/states.tsx';
import { formatDuration, formatNumber } from '../../text/format.ts';
import styles from './home-page.module.css';

const DAYS = 30;
/** The figures are read again at most this often. */
const RECOUNT_MS = 5000;
const statistics = queryOptions({
  queryKey: ['feed', 'all', 'statistics', DAYS],
  queryFn: () => client.allStatistics({ days: DAYS }),
  staleTime: 30_000,
  // Changes are followed only while the figures are shown.
  refetchOnMount: 'always',
});

/** A strip of figures over all feeds. It keeps its height while it loads. */
export function Figures() {
  const { data, error, refetch } = useQuery(statistics);
  const cache = useQueryClient();
  useLiveBatches(RECOUNT_MS, () => void cache.invalidateQueries({ queryKey: statistics.queryKey }));
  if (error !== null && data === undefined)
    return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <dl className={styles['figures']} aria-label="Figures over all feeds">
      {figuresOf(data).map(({ name, value, note, line, lineLabel }) => (
        <div key={name} className={styles['figure']}>
          <dt>{name}</dt>
          <dd className={styles['value']}>{value}</dd>
          <dd className={styles['note']}>{note}</dd>
          <dd className={styles['line']}>
            <Sparkline values={line} label={lineLabel} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly line: readonly number[];
  readonly lineLabel: string;
}

function figuresOf(data: FeedStatistics | undefined): readonly Figure[] {
  const days = data?.days ?? [];
  const reported = days.map((day) => day.reported);
  const actioned = days.map((day) => day.actioned);
  const number = (value: number | undefined) =>
    data === undefined ? '…' : formatNumber(value ?? 0);
  const { medianSeconds = null, acted = 0, buckets = [] } = data?.timeToAct ?? {};
  return [
    {
      name: 'Reported today',
      value: number(reported.at(-1)),
      note: `${number(sum(reported))} in ${DAYS} days`,
      line: reported,
      lineLabel: `Reports on each of the last ${DAYS} days`,
    },
    {
      name: 'Open',
      value: number(data?.statuses.open),
      note: `${number(data?.statuses.acknowledged)} more acknowledged`,
      line: unresolvedByDay(data),
      lineLabel: `Reports that waited for an outcome on each of the last ${DAYS} days`,
    },
    {
      name: 'Taken down in 7 days',
      value: number(sum(actioned.slice(-7))),
      note: `${number(sum(actioned))} in ${DAYS} days`,
      line: actioned,
      lineLabel: `Actions of desks on each of the last ${DAYS} days`,
    },
    {
      name: 'Median time to act',
      value:
        medianSeconds === null
          ? data === undefined
            ? '…'
            : '–'
          : formatDuration(1000 * medianSeconds),
      note:
        acted === 0 ? `no outcome in ${DAYS} days` : `of ${formatNumber(acted)} in ${DAYS} days`,
      line: buckets.map(({ reports }) => reports),
      lineLabel: 'Reports by the time that it took to act, the quickest first',
    },
  ];
}

/** Counted back from today: later reports were not open then, later outcomes were. */
function unresolvedByDay(data: FeedStatistics | undefined): readonly number[] {
  if (data === undefined) return [];
  let waiting = data.statuses.open + data.statuses.acknowledged;
  const counts: number[] = [];
  for (const { reported, actioned, rejected, expired } of data.days.toReversed()) {
    counts.push(Math.max(0, waiting));
    waiting += actioned + rejected + expired - reported;
  }
  return counts.reverse();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
