import { useState } from 'react';
import type { Proposal } from '../../../../src/client/wire.ts';
import { useReportProposals } from '../../api/proposals.ts';
import { count } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { showError, showToast } from '../overlays/toasts.tsx';

interface Props {
  readonly proposals: readonly Proposal[];
  readonly label: string;
  readonly look?: 'plain' | 'primary';
}

/** Reports all of them with one click: what is reported stands beside it. */
export function ReportProposals({ proposals, label, look = 'plain' }: Props) {
  const [done, setDone] = useState(0);
  const { mutate, isPending } = useReportProposals(setDone);
  const report = () =>
    mutate(proposals, {
      onSuccess: (reported) => showToast({ text: `${count(reported, 'report')} created.` }),
      onError: showError,
    });
  const progress = proposals.length === 1 ? 'Reporting' : `Reported ${done} of ${proposals.length}`;
  return (
    <Button size="small" look={look} disabled={isPending} onClick={report}>
      {isPending ? progress : label}
    </Button>
  );
}
