import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../../../api/client.ts';
import { servicesQuery } from '../../../api/services.ts';
import { type Me, sessionQuery } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { CheckBox, TextArea, TextField } from '../../../components/field.tsx';
import { Dialog } from '../../../components/overlays/dialog.tsx';
import { showToast } from '../../../components/overlays/toasts.tsx';
import { explain } from '../../../components/states.tsx';
import styles from './dialogs.module.css';

interface Props {
  readonly me: Me;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function AddServiceDialog({ me, onClose }: Props) {
  const formId = useId();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const [hosts, setHosts] = useState('');
  const [isMine, setMine] = useState(true);
  const { save, error, isPending } = useAddService(me, onClose);
  const shownSlug = slug ?? slugOf(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save({ slug: shownSlug, name: name.trim(), hosts: splitHosts(hosts), isMine });
  };
  return (
    <Dialog
      title="Make a service"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            look="primary"
            disabled={isPending || shownSlug === ''}
          >
            Make the service
          </Button>
        </>
      }
    >
      <form id={formId} className={styles['form']} onSubmit={submit}>
        <TextField
          label="Name"
          placeholder="Ply Tunnels"
          required
          maxLength={128}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label="Short name"
          hint="Part of the addresses of its feed: lower-case letters, digits and hyphens. It stays as it is."
          isMono
          required
          maxLength={63}
          value={shownSlug}
          error={error === null ? undefined : explain(error).text}
          onChange={({ target }) => setSlug(target.value.toLowerCase())}
        />
        <TextArea
          label="Hosts (optional)"
          hint="One per line, such as *.ply.example: reports of these are offered this feed."
          value={hosts}
          onChange={({ target }) => setHosts(target.value)}
        />
        <CheckBox
          label="I answer its reports: put it on my desk"
          checked={isMine}
          onChange={({ target }) => setMine(target.checked)}
        />
      </form>
    </Dialog>
  );
}

interface NewService {
  readonly slug: string;
  readonly name: string;
  readonly hosts: readonly string[];
  readonly isMine: boolean;
}

function useAddService(me: Me, onDone: () => void) {
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ slug, name, hosts, isMine }: NewService) => {
      await client.addService({ slug, name, ...(hosts.length > 0 && { hosts }) });
      // The service exists now, whatever becomes of the ownership.
      await cache.invalidateQueries({ queryKey: servicesQuery.queryKey });
      if (!isMine) return;
      const services = [...me.services.map((one) => one.slug), slug];
      await client.changeAccount(me.id, { services });
      await cache.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onSuccess: (_, { name }) => {
      showToast({ text: `${name} has a feed now.` });
      onDone();
    },
  });
  return { save: mutate, error, isPending };
}

/** `Ply Tunnels` becomes `ply-tunnels`. */
function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 63);
}

function splitHosts(text: string): readonly string[] {
  return text
    .replaceAll('[.]', '.')
    .split(/[\s,]+/)
    .filter((host) => host !== '');
}
