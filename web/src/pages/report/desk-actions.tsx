import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { reportQuery } from '../../api/reports.ts';
import { Button } from '../../components/button.tsx';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { explain } from '../../components/states.tsx';
import styles from './report-page.module.css';

const StatusDialog = lazy(() => import('./status-dialog.tsx'));

/** What an owner of the feed may do with a report. */
export function DeskActions({ report }: { readonly report: ExtendedReport }) {
  const { service, id, status } = report;
  const [asked, setAsked] = useState<'actioned' | 'rejected'>();
  const cache = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (body: SetStatusBody) => client.setStatus(service, id, body),
    onSuccess: (_, { status: set }) => {
      setAsked(undefined);
      showToast({ text: `The report is now ${set}.` });
    },
    // A dialog that is open says it itself.
    onError: (reason) => {
      if (asked === undefined) showError(reason);
    },
    // With its history.
    onSettled: () => cache.invalidateQueries({ queryKey: reportQuery(service, id).queryKey }),
  });
  return (
    <section className={styles['actions']} aria-label="Actions of the desk">
      <Button
        disabled={isPending || status === 'acknowledged'}
        onClick={() => mutate({ status: 'acknowledged' })}
      >
        Acknowledge
      </Button>
      <Button look="primary" disabled={isPending} onClick={() => setAsked('actioned')}>
        Acted …
      </Button>
      <Button disabled={isPending} onClick={() => setAsked('rejected')}>
        Reject …
      </Button>
      {status !== 'open' && (
        <Button look="quiet" disabled={isPending} onClick={() => mutate({ status: 'open' })}>
          Open again
        </Button>
      )}
      {asked !== undefined && (
        <Suspense fallback={null}>
          <StatusDialog
            status={asked}
            reports={1}
            isBusy={isPending}
            error={error === null ? undefined : explain(error).text}
            onSet={mutate}
            onClose={() => {
              setAsked(undefined);
              reset();
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
