import { useState } from 'react';
import type { Proposal } from '../../../../src/client/wire.ts';
import { useDismissProposal } from '../../api/proposals.ts';
import { defang } from '../../text/defang.ts';
import { fieldErrors } from '../../text/field-errors.ts';
import { TextArea } from '../field.tsx';
import { FormDialog } from '../overlays/form-dialog.tsx';
import { REASONS } from './dismissal-reasons.ts';
import styles from './proposals.module.css';

interface Props {
  readonly proposal: Proposal;
  readonly onClose: () => void;
}

type Reason = keyof typeof REASONS;

/** Asks why a proposal is not reported. Loaded when it is opened. */
export default function DismissDialog({ proposal, onClose }: Props) {
  const [reason, setReason] = useState<Reason>('already_known');
  const [note, setNote] = useState('');
  const { mutate, isPending, error } = useDismissProposal(proposal);
  const dismiss = () => {
    const body = { reason, ...(note.trim() !== '' && { note: note.trim() }) };
    mutate(body, { onSuccess: onClose });
  };
  const { fields, other } = fieldErrors(error, ['note']);
  return (
    <FormDialog
      title={`Dismiss ${defang(proposal.c2Address)}`}
      action="Dismiss"
      look="danger"
      isReady={!isPending}
      problem={other}
      onSubmit={dismiss}
      onClose={onClose}
    >
      <fieldset className={styles['reasons']}>
        <legend>Reason</legend>
        {(Object.keys(REASONS) as Reason[]).map((choice) => (
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
        label="Note to yourself (optional)"
        maxLength={1000}
        value={note}
        error={fields.note}
        onChange={({ target }) => setNote(target.value)}
      />
    </FormDialog>
  );
}
