import { lazy, Suspense, useState } from 'react';
import type { Proposal } from '../../../../src/client/wire.ts';
import { Button } from '../button.tsx';
import { useHeldReports } from './use-held-reports.ts';

const ReportDialog = lazy(() => import('./report-dialog.tsx'));

interface Props {
  /** Those that are open. */
  readonly proposals: readonly Proposal[];
  readonly look?: 'plain' | 'primary';
}

/**
 * Shows what goes to which service, asks, and reports all after some seconds. Meanwhile the same
 * button undoes it, so that it keeps the focus.
 */
export function ReportAllProposals({ proposals, look = 'plain' }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { isWaiting, sending, report, undo } = useHeldReports();
  // There is nothing to report and nothing to undo.
  if (proposals.length < 2 && !isWaiting && sending === undefined) return null;
  const confirm = () => {
    setAsking(false);
    report(proposals);
  };
  return (
    <>
      <Button
        size="small"
        look={look}
        disabled={sending !== undefined}
        onClick={isWaiting ? undo : () => setAsking(true)}
      >
        {labelOf({ count: proposals.length, isWaiting, sending })}
      </Button>
      {isAsking && (
        <Suspense fallback={null}>
          <ReportDialog
            proposals={proposals}
            onConfirm={confirm}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </>
  );
}

interface State {
  readonly count: number;
  readonly isWaiting: boolean;
  readonly sending: { readonly done: number; readonly of: number } | undefined;
}

function labelOf({ count, isWaiting, sending }: State): string {
  if (sending !== undefined) return `Reported ${sending.done} of ${sending.of}`;
  return isWaiting ? 'Undo reporting all' : `Report all ${count}`;
}
