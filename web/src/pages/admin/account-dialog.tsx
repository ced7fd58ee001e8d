import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, CreatedLink } from '../../../../src/client/wire.ts';
import { adminServicesQuery, refreshAdmin } from '../../api/admin.ts';
import { client } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { SecretOnce } from '../../components/identifiers/secret-once.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toasts.tsx';
import { type FieldErrors, fieldErrors } from '../../text/field-errors.ts';
import { addedServices } from '../../text/unclaimed.ts';
import { visible } from '../../text/visible.ts';
import { type AccountDraft, bodyOf, draftOf, PERIODS, ROLES } from './account-draft.ts';
import { Choices } from './choices.tsx';
import form from './form.module.css';
import { numberOrText } from './form-values.ts';
import { InvitationText } from './invitation-text.tsx';

interface Props {
  /** `undefined` for a new one. */
  readonly account: Account | undefined;
  readonly onClose: () => void;
}

interface Created {
  readonly token: string;
  /** `undefined` if the link could not be made. */
  readonly invitation: CreatedLink | undefined;
}

const FIELDS = [
  'name',
  'roles',
  'services',
  'quota',
  'createRate',
  'createRate.burst',
  'expiresAt',
  'topUp',
] as const;
const CODES = {
  account_exists: 'name',
  own_account: 'expiresAt',
  last_administrator: 'expiresAt',
} as const;

/** Loaded when it is opened. */
export default function AccountDialog({ account, onClose }: Props) {
  const [draft, setDraft] = useState(() => draftOf(account));
  const cache = useQueryClient();
  const me = useMe();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => save(draft, account),
    onSuccess: (created) => {
      if (created !== undefined) return;
      showToast({ text: `The account ${visible(draft.name)} is saved.` });
      onClose();
    },
    onSettled: () => refreshAdmin(cache),
  });
  if (data !== undefined)
    return <CreatedDialog name={draft.name} created={data} onClose={onClose} />;
  return (
    <FormDialog
      title={account === undefined ? 'New account' : `Account ${visible(account.name)}`}
      action={account === undefined ? 'Create and invite' : 'Save'}
      isReady={!isPending}
      onSubmit={mutate}
      onClose={onClose}
    >
      <AccountFields
        draft={draft}
        isNew={account === undefined}
        isOwn={account !== undefined && account.id === me.id}
        error={error}
        onChange={(changes) => setDraft({ ...draft, ...changes })}
      />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly draft: AccountDraft;
  readonly isNew: boolean;
  readonly isOwn: boolean;
  readonly error: unknown;
  readonly onChange: (changes: Partial<AccountDraft>) => void;
}

function AccountFields({ draft, isNew, isOwn, error, onChange }: FieldsProps) {
  const services = useQuery(adminServicesQuery).data ?? [];
  const { fields, other } = fieldErrors(error, FIELDS, { codes: CODES });
  return (
    <>
      {isNew && (
        <TextField
          label="Name"
          hint="Shown as the reporter of its reports; it cannot change"
          required
          value={draft.name}
          error={fields.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      )}
      <RoleChoices
        isOwn={isOwn}
        chosen={draft.roles}
        error={fields.roles}
        onChange={(roles) => onChange({ roles })}
      />
      <Choices
        label="Owner of"
        hint="Owners answer the reports of these services at the desk."
        options={addedServices(services).map(({ slug }) => ({ value: slug, label: slug }))}
        chosen={draft.services}
        error={fields.services}
        onChange={(chosen) => onChange({ services: chosen })}
      />
      <div className={form['pair']}>
        <TextField
          label="Units"
          hint="A lookup takes one; empty for no limit"
          inputMode="numeric"
          value={draft.limit}
          error={fields.quota}
          onChange={({ target }) => onChange({ limit: target.value })}
        />
        <SelectField
          label="Quota period"
          options={PERIODS}
          value={draft.period}
          onChange={({ target }) => onChange({ period: target.value as AccountDraft['period'] })}
        />
        <CreateRateFields draft={draft} errors={fields} onChange={onChange} />
        <TextField
          label="Account expires"
          type="date"
          hint="At the beginning of the day, UTC; empty for never"
          value={draft.expires}
          error={fields.expiresAt}
          onChange={({ target }) => onChange({ expires: target.value })}
        />
        {!isNew && (
          <TextField
            label="Add prepaid units"
            hint="Spent last; they never expire"
            inputMode="numeric"
            value={draft.topUp}
            error={fields.topUp}
            onChange={({ target }) => onChange({ topUp: target.value })}
          />
        )}
      </div>
      {other !== undefined && (
        <p role="alert" className={form['error']}>
          {other}
        </p>
      )}
    </>
  );
}

interface RoleProps {
  readonly isOwn: boolean;
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (roles: readonly string[]) => void;
}

function RoleChoices({ isOwn, ...choices }: RoleProps) {
  return (
    <Choices
      {...choices}
      label="Roles"
      hint={
        isOwn
          ? 'You cannot give up the role admin yourself: another administrator can take it away.'
          : 'Without a role the account reads feeds and looks up files.'
      }
      options={ROLES.filter(({ value }) => !isOwn || value !== 'admin')}
    />
  );
}

interface RateProps extends Pick<FieldsProps, 'draft' | 'onChange'> {
  readonly errors: FieldErrors<'createRate' | 'createRate.burst'>['fields'];
}

function CreateRateFields({ draft, errors, onChange }: RateProps) {
  return (
    <>
      <TextField
        label="Reports a minute"
        hint="Once the burst is used; empty for the rate of the server"
        inputMode="numeric"
        value={draft.createsPerMinute}
        error={errors.createRate}
        onChange={({ target }) => onChange({ createsPerMinute: target.value })}
      />
      <TextField
        label="Reports at once"
        hint="The burst; empty for the rate of the server"
        inputMode="numeric"
        value={draft.createsBurst}
        error={errors['createRate.burst']}
        onChange={({ target }) => onChange({ createsBurst: target.value })}
      />
    </>
  );
}

interface CreatedProps {
  readonly name: string;
  readonly created: Created;
  readonly onClose: () => void;
}

function CreatedDialog({ name, created: { token, invitation }, onClose }: CreatedProps) {
  return (
    <Dialog
      title={`The account ${visible(name)} is ready`}
      keepsOpen
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {invitation === undefined ? (
        <p role="alert">
          The account was created, but not its invitation: choose “Make a sign-in link” in its menu.
        </p>
      ) : (
        <>
          <InvitationText expiresAt={invitation.expiresAt} />
          <SecretOnce secret={invitation.link} what="link" />
        </>
      )}
      <h3>For a program</h3>
      <SecretOnce secret={token} what="token" />
    </Dialog>
  );
}

/** Returns the token and the invitation of a new account. */
async function save(
  draft: AccountDraft,
  account: Account | undefined,
): Promise<Created | undefined> {
  const body = bodyOf(draft, account);
  if (account !== undefined) {
    const topUp = numberOrText(draft.topUp);
    await client.changeAccount(account.id, { ...body, ...(topUp !== undefined && { topUp }) });
    return undefined;
  }
  const added = await client.addAccount({ name: draft.name.trim(), ...body });
  // The token is shown even if this fails: it cannot be shown later.
  const invitation = await client
    .createAccountLink(added.account.id, { purpose: 'invitation' })
    .catch(() => undefined);
  return { token: added.token, invitation };
}
