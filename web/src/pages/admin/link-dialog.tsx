import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { SelectField } from '../../components/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import SecretDialog from '../../components/overlays/secret-dialog.tsx';
import { fieldErrors } from '../../text/field-errors.ts';
import { visible } from '../../text/visible.ts';
import { InvitationText } from './invitation-text.tsx';

interface Props {
  readonly account: Account;
  readonly onClose: () => void;
}

const PURPOSES = [
  { value: 'invitation', label: 'invitation, valid for 7 days' },
  { value: 'sign-in', label: 'sign-in, valid for 15 minutes' },
];

type Purpose = 'invitation' | 'sign-in';

/** Loaded when it is opened. */
export default function LinkDialog({ account, onClose }: Props) {
  const [purpose, setPurpose] = useState<Purpose>('invitation');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => client.createAccountLink(account.id, { purpose }),
  });
  const title = `A link for ${visible(account.name)}`;
  if (data !== undefined)
    return (
      <SecretDialog title={title} secret={data.link} what="link" onClose={onClose}>
        <InvitationText expiresAt={data.expiresAt} />
      </SecretDialog>
    );
  return (
    <FormDialog
      title={title}
      action="Make the link"
      isReady={!isPending}
      problem={fieldErrors(error, []).other}
      onSubmit={mutate}
      onClose={onClose}
    >
      <p>Whoever opens the link first is signed in as this account, without a token.</p>
      <SelectField
        label="Kind"
        options={PURPOSES}
        value={purpose}
        onChange={({ target }) => setPurpose(target.value as Purpose)}
      />
    </FormDialog>
  );
}
