import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account, AdministeredService } from '../../../../../src/client/wire.ts';
import { refreshAdmin } from '../../../api/admin.ts';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toasts.tsx';
import { draftOf, ownersOf, saveService } from './service-draft.ts';
import { ServiceFields } from './service-fields.tsx';

interface Props {
  /** `undefined` for a new one. */
  readonly service: AdministeredService | undefined;
  readonly accounts: readonly Account[];
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function ServiceDialog({ service, accounts, onClose }: Props) {
  const owners = service === undefined ? [] : ownersOf(service.slug, accounts);
  const [draft, setDraft] = useState(() => draftOf(service, owners));
  // Set when a new service is stored but not all its owners: a retry must not create it again.
  const [added, setAdded] = useState<string>();
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => saveService(draft, { service, added, owners, onAdded: setAdded }),
    onSuccess: () => {
      showToast({ text: `The service ${draft.slug} is saved.` });
      onClose();
    },
    onSettled: () => refreshAdmin(cache),
  });
  return (
    <FormDialog
      title={service === undefined ? 'New service' : `Service ${service.slug}`}
      action={service === undefined ? 'Create' : 'Save'}
      isReady={!isPending}
      onSubmit={mutate}
      onClose={onClose}
    >
      <ServiceFields
        draft={draft}
        isNew={service === undefined && added === undefined}
        accounts={accounts}
        error={error}
        onChange={(changes) => setDraft({ ...draft, ...changes })}
      />
    </FormDialog>
  );
}
