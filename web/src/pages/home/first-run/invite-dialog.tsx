import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../../../api/client.ts';
import type { Me } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/field.tsx';
import { SecretOnce } from '../../../components/identifiers/secret-once.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { explain } from '../../../components/states.tsx';
import { visible } from '../../../text/visible.ts';
import styles from './dialogs.module.css';
import { researcherQuery } from './researcher-query.ts';

interface Props {
  readonly me: Me;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function InviteDialog({ me, onClose }: Props) {
  const formId = useId();
  const [name, setName] = useState('');
  const cache = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (account: string) => {
      await client.addAccount({ name: account, roles: ['researcher'] });
      await cache.invalidateQueries({ queryKey: researcherQuery(me).queryKey });
      return await client.createAccountLink(account, { purpose: 'invitation' });
    },
  });
  if (data !== undefined)
    return (
      <Dialog
        title={`Invitation for ${visible(name.trim())}`}
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <SecretOnce secret={data.link} what="link" />
        <p>It signs one browser in, once, within 7 days. Send it to nobody else.</p>
      </Dialog>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(name.trim());
  };
  return (
    <Dialog
      title="Invite a researcher"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            look="primary"
            disabled={isPending || name.trim() === ''}
          >
            Make the invitation
          </Button>
        </>
      }
    >
      <form id={formId} className={styles['form']} onSubmit={submit}>
        <TextField
          label="Name of the account"
          hint="Shown beside the reports of this person."
          placeholder="alice"
          required
          maxLength={64}
          value={name}
          error={error === null ? undefined : explain(error).text}
          onChange={({ target }) => setName(target.value)}
        />
      </form>
    </Dialog>
  );
}
