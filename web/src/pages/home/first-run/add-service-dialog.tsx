import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../../api/client.ts';
import { servicesQuery } from '../../../api/services.ts';
import { type Me, sessionQuery } from '../../../api/session.ts';
import { CheckBox, TextArea, TextField } from '../../../components/field.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toasts.tsx';
import { fieldErrors, HOSTS_RULE } from '../../../text/field-errors.ts';
import { visible } from '../../../text/visible.ts';

interface Props {
  readonly me: Me;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function AddServiceDialog({ me, onClose }: Props) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const [hosts, setHosts] = useState('');
  const [isMine, setMine] = useState(true);
  const { save, error, isPending } = useAddService(me, onClose);
  const shownSlug = slug ?? slugOf(name);
  const { fields, other } = fieldErrors(error, ['slug', 'name', 'hosts'], {
    codes: { service_exists: 'slug' },
    rules: { hosts: HOSTS_RULE },
  });
  return (
    <FormDialog
      title="Make a service"
      action="Make the service"
      isReady={!isPending && shownSlug !== ''}
      problem={other}
      onSubmit={() =>
        save({ slug: shownSlug, name: name.trim(), hosts: splitHosts(hosts), isMine })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Ply Tunnels"
        required
        maxLength={128}
        value={name}
        error={fields.name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label="Short name"
        hint="Part of the addresses of its feed: lower-case letters, digits and hyphens. It stays as it is."
        isMono
        required
        maxLength={63}
        value={shownSlug}
        error={fields.slug}
        onChange={({ target }) => setSlug(target.value.toLowerCase())}
      />
      <TextArea
        label="Hosts (optional)"
        hint="One per line, such as *.ply.example: reports of these are offered this feed."
        value={hosts}
        error={fields.hosts}
        onChange={({ target }) => setHosts(target.value)}
      />
      <CheckBox
        label="I answer its reports: put it on my desk"
        checked={isMine}
        onChange={({ target }) => setMine(target.checked)}
      />
    </FormDialog>
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
  // Set when the service exists but has no owner yet: a retry must not create it again.
  const added = useRef<string>(undefined);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ slug, name, hosts, isMine }: NewService) => {
      if (added.current !== slug)
        await client.addService({ slug, name, ...(hosts.length > 0 && { hosts }) });
      added.current = slug;
      if (!isMine) return;
      const services = [...me.services.map((one) => one.slug), slug];
      await client.changeAccount(me.id, { services });
    },
    onSuccess: (_, { name }) => {
      showToast({ text: `${visible(name)} has a feed now.` });
      onDone();
    },
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: servicesQuery.queryKey });
      void cache.invalidateQueries({ queryKey: sessionQuery.queryKey });
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
