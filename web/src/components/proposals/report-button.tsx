import type { Proposal } from '../../../../src/client/wire.ts';
import { useReportProposal } from '../../api/proposals.ts';
import { Button } from '../button.tsx';
import { showError, showToast } from '../overlays/toasts.tsx';

/** Reports one proposal with one click: what is reported stands beside it. */
export function ReportProposal({ proposal }: { readonly proposal: Proposal }) {
  const { mutate, isPending } = useReportProposal(proposal);
  const report = () =>
    mutate(undefined, {
      onSuccess: () => showToast({ text: '1 report created.' }),
      onError: showError,
    });
  return (
    <Button size="small" look="primary" disabled={isPending} onClick={report}>
      {isPending ? 'Reporting' : 'Report'}
    </Button>
  );
}
