import { useState } from 'react';
import { HeldActions, UNDO_MS } from '../../api/held-actions.ts';
import { useFlushOnLeave } from '../../api/leaving.ts';
import { reportC2s, reportWhileLeaving, useDecided } from '../../api/proposals.ts';
import type { ReportableC2 } from '../../api/reportable-c2.ts';
import { useStore } from '../../api/use-store.ts';
import { explain } from '../../text/explain.ts';
import { count } from '../../text/format.ts';
import { closeToast, showToast } from '../overlays/toasts.tsx';
import { useKeys } from '../use-keys.ts';
import { byService } from './by-service.ts';

type Proposals = readonly ReportableC2[];

/** Each report is a separate call, and a browser completes few when the page is left. */
const MAX_LEAVING = 50;

interface Sending {
  readonly done: number;
  readonly of: number;
}

/** Reports that wait before they are sent, as the actions of a desk do. */
export function useHeldReports() {
  const decided = useDecided();
  const [sending, setSending] = useState<Sending>();
  const [toast] = useState(() => new UndoToast());
  const send = async (proposals: Proposals, isLeaving: boolean) => {
    toast.close();
    if (isLeaving) return await reportWhileLeaving(proposals);
    setSending({ done: 0, of: proposals.length });
    try {
      const refusals = await reportC2s(proposals, (done) =>
        setSending({ done, of: proposals.length }),
      );
      showOutcome(proposals, refusals);
    } finally {
      setSending(undefined);
      decided(proposals);
    }
  };
  const [held] = useState(
    () =>
      new HeldActions<Proposals>({
        waitMs: UNDO_MS,
        send: (proposals, { isLeaving }) => send(proposals, isLeaving),
        onFailure: (error, proposals) =>
          showToast({
            text: `Not all of ${count(proposals.length, 'report')} were created: ${explain(error).text}`,
            isError: true,
          }),
      }),
  );
  useStore(held.entries);
  useFlushOnLeave(held, hasTooMany);
  const isWaiting = held.waiting.length > 0;
  const undo = () => {
    if (held.waiting.length === 0) return;
    held.undo();
    toast.close();
    showToast({ text: 'Undone. Nothing was reported.' });
  };
  useKeys({ u: undo });
  const report = (proposals: Proposals) => {
    held.add(proposals);
    toast.show(`${whatGoesWhere(proposals)} in ${UNDO_MS / 1000} seconds.`, undo);
  };
  return { isWaiting, sending, report, undo };
}

function hasTooMany({ waiting }: HeldActions<Proposals>): boolean {
  return waiting.flat().length > MAX_LEAVING;
}

function whatGoesWhere(proposals: Proposals): string {
  const services = byService(proposals).length;
  const verb = proposals.length === 1 ? 'goes' : 'go';
  return `${count(proposals.length, 'report')} ${verb} to ${count(services, 'service')}`;
}

function showOutcome(proposals: Proposals, refusals: readonly Error[]): void {
  const created = `${count(proposals.length - refusals.length, 'report')} created`;
  const [refusal] = refusals;
  if (refusal === undefined) showToast({ text: `${created}.` });
  else
    showToast({
      text: `${created}, ${count(refusals.length, 'proposal')} not: ${explain(refusal).text}`,
      isError: true,
    });
}

/** The message that offers to undo until the reports are sent. */
class UndoToast {
  #id: number | undefined;

  show(text: string, undo: () => void): void {
    this.close();
    this.#id = showToast({ text, action: { label: 'Undo (u)', run: undo } }, UNDO_MS);
  }

  close(): void {
    if (this.#id !== undefined) closeToast(this.#id);
    this.#id = undefined;
  }
}
