import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AddWebhookBody, Webhook } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import { webhooksQuery } from '../../../api/webhooks.ts';
import { CheckBox, SelectField, TextField } from '../../../components/field.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import SecretDialog from '../../../components/overlays/secret-dialog.tsx';
import { showToast } from '../../../components/overlays/toasts.tsx';
import { explain } from '../../../components/states.tsx';
import { fieldErrors } from '../../../text/field-errors.ts';
import styles from './webhooks.module.css';

type Event = Webhook['events'][number];

const EVENTS: readonly { readonly value: Event; readonly label: string }[] = [
  { value: 'report.created', label: 'Reports are created' },
  { value: 'report.updated', label: 'Reports change, such as their status' },
  { value: 'report.deleted', label: 'Reports are deleted' },
];

const FORMATS: readonly { readonly value: Webhook['format']; readonly label: string }[] = [
  { value: 'standard', label: 'standard: the report with its status, in an envelope' },
  { value: 'report', label: 'report: the ten fields of the report alone' },
  { value: 'cloudevents', label: 'cloudevents: CloudEvents 1.0' },
];

interface Props {
  readonly service: string;
  /** The API cannot change a webhook: it is replaced by another. */
  readonly replaced: Webhook | undefined;
  readonly onClose: () => void;
}

/** Loaded when it is opened. */
export default function WebhookDialog({ service, replaced, onClose }: Props) {
  const [url, setUrl] = useState(replaced?.url ?? '');
  const [events, setEvents] = useState<readonly Event[]>(
    replaced?.events ?? EVENTS.map(({ value }) => value),
  );
  const [format, setFormat] = useState<Webhook['format']>(replaced?.format ?? 'standard');
  const { mutate, data, error, isPending } = useAdding(service, replaced);
  if (data !== undefined)
    return (
      <SecretDialog title="The signing secret" secret={data.secret} what="secret" onClose={onClose}>
        <p>The receiver verifies each request with it.</p>
      </SecretDialog>
    );
  const { fields, other } = fieldErrors(error, ['url']);
  return (
    <FormDialog
      title={replaced === undefined ? 'Add a webhook' : 'Change the webhook'}
      action={replaced === undefined ? 'Add' : 'Replace'}
      isReady={!isPending && url.trim() !== '' && events.length > 0}
      problem={other}
      onSubmit={() => mutate({ url: url.trim(), events, format })}
      onClose={onClose}
    >
      {replaced !== undefined && (
        <p>A new webhook with its own secret replaces this one. The log of this one is lost.</p>
      )}
      <TextField
        label="URL"
        isMono
        inputMode="url"
        placeholder="https://desk.example/hooks/rapsheet"
        value={url}
        error={fields.url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <fieldset className={styles['events']}>
        <legend>Send when</legend>
        {EVENTS.map(({ value, label }) => (
          <CheckBox
            key={value}
            label={label}
            checked={events.includes(value)}
            onChange={() => setEvents(toggled(events, value))}
          />
        ))}
      </fieldset>
      <SelectField
        label="Format"
        options={FORMATS}
        value={format}
        onChange={({ target }) => setFormat(target.value as Webhook['format'])}
      />
    </FormDialog>
  );
}

/** The old one is deleted after the new one exists, so that no change is missed. */
function useAdding(service: string, replaced: Webhook | undefined) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (body: AddWebhookBody) => {
      const added = await client.addWebhook(service, body);
      // The secret of the new one is shown even if this fails: it cannot be shown later.
      if (replaced !== undefined)
        await client
          .deleteWebhook(service, replaced.id)
          .catch((error) =>
            showToast({ text: `The old webhook remains: ${explain(error).text}`, isError: true }),
          );
      return added;
    },
    onSuccess: () => cache.invalidateQueries({ queryKey: webhooksQuery(service).queryKey }),
  });
}

function toggled(events: readonly Event[], event: Event): readonly Event[] {
  return events.includes(event) ? events.filter((one) => one !== event) : [...events, event];
}
