import { useState } from 'react';
import type { SetStatusBody } from '../../../../src/client/wire.ts';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/field.tsx';
import { REASONS } from '../../components/marks/status.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { count } from '../../text/format.ts';
import styles from './desk-page.module.css';

const CHOICES = ['not_ours', 'false_positive', 'duplicate', 'insufficient_evidence'] as const;

interface Props {
  readonly reports: number;
  readonly onReject: (body: SetStatusBody) => void;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function RejectDialog({ reports, onReject, onClose }: Props) {
  const [reason, setReason] = useState<string>(CHOICES[0]);
  const [note, setNote] = useState('');
  const reject = () =>
    onReject({
      status: 'rejected',
      reason,
      ...(note.trim() !== '' && { note: note.trim() }),
    });
  return (
    <Dialog
      title={`Reject ${count(reports, 'report')}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={reject}>
            Reject
          </Button>
        </>
      }
    >
      <fieldset className={styles['reasons']}>
        <legend>Reason</legend>
        {CHOICES.map((choice) => (
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
        onChange={({ target }) => setNote(target.value)}
      />
    </Dialog>
  );
}
