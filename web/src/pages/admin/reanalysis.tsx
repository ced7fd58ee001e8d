import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Reanalysis as Run } from '../../../../src/client/wire.ts';
import { reanalysisQuery, refreshAdmin } from '../../api/admin.ts';
import { client } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Time } from '../../components/marks/time.tsx';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './admin-page.module.css';
import { counted, Figure } from './figure.tsx';

const Question = lazy(() => import('../../components/overlays/question.tsx'));

/** Analyses all stored files again, and shows how many are left. */
export function Reanalysis() {
  const { data, error, isPending, refetch } = useQuery(reanalysisQuery);
  return (
    <Section title="Stored files" aside={data !== undefined && <Actions run={data} />}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton lines={3} label="Loading the progress" />}
      {data !== undefined && <Progress run={data} />}
    </Section>
  );
}

function Progress({ run }: { readonly run: Run }) {
  if (run.state === null)
    return <p>After an upgrade that reads more families, analyse the stored files again.</p>;
  return (
    <>
      <p>
        Analysing files again that were last analysed before <Time at={run.before ?? ''} />:{' '}
        {run.state}. Started <Time at={run.startedAt ?? ''} /> by {visible(run.startedBy ?? '')}.
      </p>
      <dl className={styles['figures']}>
        <Figure name="Queued" note="by this run" value={formatNumber(run.queued)} />
        <Figure name="Waiting" note="not analysed yet" value={counted(run.waiting)} />
        <Figure name="Left" note="not queued yet" value={counted(run.remaining)} />
      </dl>
    </>
  );
}

function Actions({ run }: { readonly run: Run }) {
  const cache = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const settings = { onError: showError, onSettled: () => refreshAdmin(cache) };
  // A run that was stopped goes on with the files that it has left.
  const before = run.state === 'stopped' && run.before !== null ? { before: run.before } : {};
  const start = useMutation({
    mutationFn: () => client.startReanalysis(before),
    onSuccess: () => showToast({ text: 'The stored files are analysed again.' }),
    ...settings,
  });
  const stop = useMutation({
    mutationFn: () => client.stopReanalysis(),
    onSuccess: () => showToast({ text: 'No more files are queued.' }),
    ...settings,
  });
  if (run.state === 'running')
    return (
      <Button disabled={stop.isPending} onClick={() => stop.mutate()}>
        Stop
      </Button>
    );
  const label = run.state === 'stopped' ? 'Continue' : 'Analyse all again';
  return (
    <>
      <Button disabled={start.isPending} onClick={() => setAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <Suspense>
          <Question
            title="Analyse the stored files again?"
            text="New uploads come first. Each file keeps its report until the new one replaces it. Proposals and the confirmation of reports follow the new ones. You can stop it."
            action={label}
            onConfirm={() => {
              start.mutate();
              setAsking(false);
            }}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </>
  );
}
