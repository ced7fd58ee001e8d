import { lazy, Suspense, useState } from 'react';
import type { ReportableC2 } from '../../api/reportable-c2.ts';
import { Button } from '../button.tsx';
import { useHeldReports } from './use-held-reports.ts';

const ReportDialog = lazy(() => import('./report-dialog.tsx'));

interface Props {
  /** Those that are open. */
  readonly proposals: readonly ReportableC2[];
  readonly look?: 'plain' | 'primary';
  /** What the button says after the number. */
  readonly which?: string;
  /** Below this number there is no button. */
  readonly least?: number;
}

/**
 * Shows what goes to which service, asks, and reports all after some seconds. Meanwhile the same
 * button undoes it, so that it keeps the focus.
 */
export function ReportAllProposals({ proposals, look = 'plain', which = '', least = 2 }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { isWaiting, sending, report, undo } = useHeldReports();
  // There is nothing to report and nothing to undo.
  if (proposals.length < least && !isWaiting && sending === undefined) return null;
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
        {labelOf({ count: proposals.length, which, isWaiting, sending })}
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
  readonly which: string;
  readonly isWaiting: boolean;
  readonly sending: { readonly done: number; readonly of: number } | undefined;
}

function labelOf({ count, which, isWaiting, sending }: State): string {
  if (sending !== undefined) return `Reported ${sending.done} of ${sending.of}`;
  return isWaiting ? 'Undo reporting all' : `Report all ${count}${which}`;
}
