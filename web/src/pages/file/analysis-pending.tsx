import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { sampleStatusQuery } from '../../api/files.ts';
import { Empty, Failure } from '../../components/states.tsx';
import styles from './file-page.module.css';

interface Props {
  readonly hash: string;
  /** Called once when the analysis has ended. */
  readonly onDone: () => void;
}

/** Shows how far an analysis is. Asking for its state is free. */
export function AnalysisPending({ hash, onDone }: Props) {
  const { data, error, refetch } = useQuery(sampleStatusQuery(hash));
  const done = useEffectEvent(onDone);
  const status = data?.status;
  useEffect(() => {
    if (status === 'done') done();
  }, [status]);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (status === 'failed')
    return (
      <Empty title="The analysis failed">
        <p>{data?.reason ?? 'The file could not be analysed.'} An operator can look into it.</p>
      </Empty>
    );
  return (
    <Empty
      title={
        status === 'running' ? 'The file is being analysed' : 'The file waits for its analysis'
      }
    >
      <p>This takes a second for most files. The page appears by itself.</p>
      <progress className={styles['progress']} aria-label="Analysis" />
    </Empty>
  );
}
