import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { CreatedLink } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import type { Me } from '../../../api/session.ts';
import { TextField } from '../../../components/field.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import SecretDialog from '../../../components/overlays/secret-dialog.tsx';
import { fieldErrors } from '../../../text/field-errors.ts';
import { visible } from '../../../text/visible.ts';
import { researcherQuery } from './researcher-query.ts';

interface Props {
  readonly me: Me;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function InviteDialog({ me, onClose }: Props) {
  const [name, setName] = useState('');
  const cache = useQueryClient();
  // Set when the account exists but its link does not: a retry must not create it again.
  const added = useRef<string>(undefined);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (account: string) => {
      if (added.current !== account)
        await client.addAccount({ name: account, roles: ['researcher'] });
      added.current = account;
      return await invite(account);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: researcherQuery(me).queryKey }),
  });
  if (data !== undefined)
    return (
      <SecretDialog
        title={`Invitation for ${visible(name.trim())}`}
        secret={data.link}
        what="link"
        onClose={onClose}
      >
        <p>It signs one browser in, once, within 7 days. Send it to nobody else.</p>
      </SecretDialog>
    );
  const { fields, other } = fieldErrors(error, ['name'], { codes: { account_exists: 'name' } });
  return (
    <FormDialog
      title="Invite a researcher"
      action="Make the invitation"
      isReady={!isPending && name.trim() !== ''}
      problem={other}
      onSubmit={() => mutate(name.trim())}
      onClose={onClose}
    >
      <TextField
        label="Name of the account"
        hint="Shown beside the reports of this person."
        placeholder="alice"
        required
        maxLength={64}
        value={name}
        error={fields.name}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

/** A new account has a token that nobody has seen: the link is the only way in. */
async function invite(account: string): Promise<CreatedLink> {
  const { tokens } = await client.listAccountTokens(account);
  for (const { id, revokedAt } of tokens)
    if (revokedAt === null) await client.revokeAccountToken(id);
  return await client.createAccountLink(account, { purpose: 'invitation' });
}
