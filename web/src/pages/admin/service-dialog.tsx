import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Account, Service } from '../../../../src/client/wire.ts';
import { adminKey } from '../../api/admin.ts';
import { servicesQuery } from '../../api/services.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { showToast } from '../../components/overlays/toasts.tsx';
import form from './form.module.css';
import { draftOf, ownersOf, saveService } from './service-draft.ts';
import { ServiceFields } from './service-fields.tsx';

interface Props {
  /** `undefined` for a new one. */
  readonly service: Service | undefined;
  readonly accounts: readonly Account[];
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function ServiceDialog({ service, accounts, onClose }: Props) {
  const owners = service === undefined ? [] : ownersOf(service.slug, accounts);
  const [draft, setDraft] = useState(() => draftOf(service, owners));
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => saveService(draft, service, owners),
    onSuccess: () => {
      showToast({ text: `The service ${draft.slug} is saved.` });
      onClose();
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: adminKey });
      void cache.invalidateQueries({ queryKey: servicesQuery.queryKey, refetchType: 'all' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Dialog
      title={service === undefined ? 'New service' : `Service ${service.slug}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="service-form" disabled={isPending}>
            {service === undefined ? 'Create' : 'Save'}
          </Button>
        </>
      }
    >
      <form id="service-form" className={form['form']} onSubmit={submit}>
        <ServiceFields
          draft={draft}
          isNew={service === undefined}
          accounts={accounts}
          error={error}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
        />
      </form>
    </Dialog>
  );
}
