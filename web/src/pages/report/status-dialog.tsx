import { useState } from 'react';
import type { SetStatusBody } from '../../../../src/client/wire.ts';
import { TextArea } from '../../components/field.tsx';
import { REASONS } from '../../components/marks/status.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { count } from '../../text/format.ts';
import styles from './status-dialog.module.css';

const KINDS = {
  actioned: {
    title: 'Action on',
    action: 'Set as acted on',
    look: 'primary',
    reasons: ['taken_down', 'suspended', 'blocked'],
  },
  rejected: {
    title: 'Reject',
    action: 'Reject',
    look: 'danger',
    reasons: ['not_ours', 'false_positive', 'duplicate', 'insufficient_evidence'],
  },
} as const;

interface Props {
  readonly status: keyof typeof KINDS;
  /** How many reports get the status. */
  readonly reports: number;
  /** The number in words, if it is not known exactly. */
  readonly inWords?: string | undefined;
  /** Whether the status is being set. */
  readonly isBusy?: boolean;
  /** Why the server refused it. */
  readonly error?: string | undefined;
  readonly onSet: (body: SetStatusBody) => void;
  readonly onClose: () => void;
}

/** Asks for the reason of a status, and for a note. Loaded when it is opened. */
export default function StatusDialog(props: Props) {
  const { status, reports, inWords, isBusy = false, error, onSet, onClose } = props;
  const { title, action, look, reasons } = KINDS[status];
  const [reason, setReason] = useState<string>(reasons[0]);
  const [note, setNote] = useState('');
  const set = () => onSet({ status, reason, ...(note.trim() !== '' && { note: note.trim() }) });
  return (
    <FormDialog
      title={`${title} ${inWords ?? count(reports, 'report')}`}
      action={action}
      look={look}
      isReady={!isBusy}
      onSubmit={set}
      onClose={onClose}
    >
      <fieldset className={styles['reasons']}>
        <legend>Reason</legend>
        {reasons.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="reason"
              value={choice}
              checked={choice === reason}
              onChange={() => setReason(choice)}
            />
            {REASONS[choice]}
          </label>
        ))}
      </fieldset>
      <TextArea
        label="Note to the reporter (optional)"
        maxLength={1000}
        value={note}
        error={error}
        onChange={({ target }) => setNote(target.value)}
      />
    </FormDialog>
  );
}
