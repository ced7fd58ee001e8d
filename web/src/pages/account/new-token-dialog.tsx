import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tokensQuery } from '../../api/account.ts';
import { client } from '../../api/client.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import SecretDialog from '../../components/overlays/secret-dialog.tsx';
import { fieldErrors } from '../../text/field-errors.ts';

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: '', label: 'never' },
];

/** Loaded when it is opened. */
export default function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('90');
  const cache = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client.issueToken({
        ...(label.trim() !== '' && { label: label.trim() }),
        ...(days !== '' && { expiresAt: inDays(Number(days)) }),
      }),
    onSuccess: () => cache.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  if (data !== undefined)
    return (
      <SecretDialog title="Your new token" secret={data.token} what="token" onClose={onClose} />
    );
  const { fields, other } = fieldErrors(error, ['label', 'expiresAt']);
  return (
    <FormDialog
      title="New token"
      action="Create"
      isReady={!isPending}
      problem={other}
      onSubmit={mutate}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="What will use it, such as: nightly import"
        value={label}
        error={fields.label}
        onChange={({ target }) => setLabel(target.value)}
      />
      <SelectField
        label="Expires"
        options={EXPIRIES}
        value={days}
        error={fields.expiresAt}
        onChange={({ target }) => setDays(target.value)}
      />
    </FormDialog>
  );
}

function inDays(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 19)}Z`;
}
