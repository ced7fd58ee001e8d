import { useQuery } from '@tanstack/react-query';
import type { AnalysisWorkers } from '../../../../src/client/wire.ts';
import { readinessQuery, workersQuery } from '../../api/admin.ts';
import { FactList } from '../../components/fact-list.tsx';
import { Section } from '../../components/page.tsx';
import { Empty, explain, Failure, Skeleton } from '../../components/states.tsx';
import { formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './admin-page.module.css';

type WorkerState = NonNullable<AnalysisWorkers['workers']>;

export function Workers() {
  const { data, error, isPending, refetch } = useQuery(workersQuery);
  return (
    <>
      <Health />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={6} label="Loading the workers" />}
      {data?.workers === null && (
        <Empty title="This node analyses no samples">
          <p>
            No worker has started yet on {visible(data.node)}, or RAPSHEET_ANALYSIS_WORKERS is 0 and
            other processes (rapsheet worker) analyse the samples.
          </p>
        </Empty>
      )}
      {data !== undefined && data.workers !== null && (
        <WorkerFacts node={data.node} state={data.workers} />
      )}
    </>
  );
}

function Health() {
  const { data, error } = useQuery(readinessQuery);
  return (
    <Section title="Health">
      {data === undefined && error === null && <Skeleton lines={1} label="Checking the server" />}
      {error === null && data !== undefined && (
        <p>
          <span className={`${styles['badge']} ${styles['good']}`}>ready</span> The database
          answers, the disks are writable and the clock is right.
        </p>
      )}
      {error !== null && (
        <p role="alert">
          <span className={`${styles['badge']} ${styles['bad']}`}>not ready</span>{' '}
          {explain(error).text}
        </p>
      )}
    </Section>
  );
}

function WorkerFacts({ node, state }: { readonly node: string; readonly state: WorkerState }) {
  const { capacity, running, busy, restarts, isolation, ruleProblems } = state;
  return (
    <>
      <Section title="Isolation">
        <p>
          <span
            className={`${styles['badge']} ${isolation.level === 'complete' ? styles['good'] : styles['warning']}`}
          >
            {isolation.level}
          </span>{' '}
          Samples are parsed in processes of their own, restricted by the means of the tier{' '}
          <code>{isolation.tier}</code>:
        </p>
        <ul className={styles['bullets']}>
          {isolation.means.map((one) => (
            <li key={one}>{visible(one)}</li>
          ))}
        </ul>
        {isolation.lacks.length > 0 && (
          <>
            <p>Missing:</p>
            <ul className={styles['bullets']}>
              {isolation.lacks.map((lack) => (
                <li key={lack}>{visible(lack)}</li>
              ))}
            </ul>
          </>
        )}
      </Section>
      <Section title={`Analysis workers of ${visible(node)}`}>
        <p className={styles['intro']}>
          These are the workers of the node that answered. The metrics of each node show its own.
        </p>
        <FactList
          facts={[
            { name: 'Busy', value: `${formatNumber(busy)} of ${formatNumber(capacity)}` },
            {
              name: 'Processes',
              value: `${formatNumber(running)}, started when they are needed`,
            },
            {
              name: 'Restarts',
              value: `${formatNumber(restarts)} since the start, after a crash, a timeout, many samples or much memory`,
            },
            {
              name: 'Skipped rules',
              value:
                ruleProblems.length === 0 ? (
                  'none'
                ) : (
                  <ul className={styles['list']}>
                    {ruleProblems.map((problem) => (
                      <li key={problem}>{visible(problem)}</li>
                    ))}
                  </ul>
                ),
            },
          ]}
        />
      </Section>
    </>
  );
}
