import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { historyQuery, reportQuery } from '../../api/reports.ts';
import { Button } from '../../components/button.tsx';
import { REASONS } from '../../components/marks/status.tsx';
import { MenuButton } from '../../components/menu/menu-button.tsx';
import { showToast } from '../../components/overlays/toasts.tsx';
import { explain } from '../../components/states.tsx';
import styles from './report-page.module.css';

const ACTION_REASONS = ['taken_down', 'suspended', 'blocked'] as const;
const REJECTION_REASONS = [
  'not_ours',
  'false_positive',
  'duplicate',
  'insufficient_evidence',
] as const;

/** What an owner of the feed may do with a report. */
export function DeskActions({ report }: { readonly report: ExtendedReport }) {
  const { service, id, status } = report;
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (body: SetStatusBody) => client.setStatus(service, id, body),
    onSuccess: (_, { status: set }) => {
      showToast({ text: `The report is now ${set}.` });
      void cache.invalidateQueries({ queryKey: reportQuery(service, id).queryKey });
      void cache.invalidateQueries({ queryKey: historyQuery(service, id).queryKey });
    },
    onError: (error) => showToast({ text: explain(error).text, isError: true }),
  });
  const entries = (to: 'actioned' | 'rejected', reasons: readonly string[]) => [
    {
      entries: reasons.map((reason) => ({
        id: reason,
        label: REASONS[reason] ?? reason,
        onAction: () => mutate({ status: to, reason }),
      })),
    },
  ];
  return (
    <section className={styles['actions']} aria-label="Actions of the desk">
      <Button
        disabled={isPending || status === 'acknowledged'}
        onClick={() => mutate({ status: 'acknowledged' })}
      >
        Acknowledge
      </Button>
      <MenuButton look="primary" label="Acted …" groups={entries('actioned', ACTION_REASONS)} />
      <MenuButton label="Reject …" groups={entries('rejected', REJECTION_REASONS)} />
      {status !== 'open' && (
        <Button look="quiet" disabled={isPending} onClick={() => mutate({ status: 'open' })}>
          Open again
        </Button>
      )}
    </section>
  );
}
