import { useQuery } from '@tanstack/react-query';
import { historyQuery } from '../../api/reports.ts';
import { Status } from '../../components/marks/status.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './report-page.module.css';

interface Props {
  readonly service: string;
  readonly id: string;
}

/** What happened to a report, oldest first, as a time line. */
export function History({ service, id }: Props) {
  const { data, error, refetch } = useQuery(historyQuery(service, id));
  return (
    <Section title="History">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={3} label="Loading the history" />}
      {data !== undefined && (
        <ol className={styles['history']}>
          {data.map((entry) => (
            <li key={`${entry.at} ${entry.type} ${entry.status ?? ''}`}>
              <div>
                {entry.status === undefined ? (
                  <b>
                    {entry.type === 'created' ? 'Reported' : 'Name, expiry or evidence changed'}
                  </b>
                ) : (
                  <Status status={entry.status} reason={entry.reason} />
                )}
                {entry.by !== undefined && (
                  <span className={styles['quiet']}> by {visible(entry.by)}</span>
                )}
              </div>
              {entry.note !== undefined && <p className={styles['note']}>{visible(entry.note)}</p>}
              <div className={styles['quiet']}>
                <Time at={entry.at} isFull />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
