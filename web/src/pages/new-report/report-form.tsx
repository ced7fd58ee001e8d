import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { RapsheetError } from '../../../../src/client/error.ts';
import type { CreateReportBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { fileHintQuery } from '../../api/reports.ts';
import { serviceQuery } from '../../api/services.ts';
import { Button } from '../../components/button.tsx';
import { CheckBox, TextField } from '../../components/field.tsx';
import { showToast } from '../../components/overlays/toasts.tsx';
import { explain } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import { type Draft, toBody } from './draft.ts';
import styles from './new-report-page.module.css';
import { SuggestedTags } from './suggested-tags.tsx';
import type { Previewed } from './use-preview.ts';

interface Props {
  readonly service: string;
  readonly draft: Draft;
  readonly previewed: Previewed;
  readonly onChange: (draft: Draft) => void;
  readonly onSent: () => void;
}

export function ReportForm({ service, draft, previewed, onChange, onSent }: Props) {
  const { data: found } = useQuery(serviceQuery(service));
  const scale = found?.confidenceScale ?? 100;
  const { send, error, isPending } = useSend(service, onSent);
  const field = (name: keyof Draft) => ({
    value: draft[name],
    error: draft[name].trim() === '' ? undefined : previewed.problems[name],
    onChange: ({ target }: { target: { value: string } }) =>
      onChange({ ...draft, [name]: target.value }),
  });
  const good = previewed.preview?.knownAs.find(({ kind }) => kind === 'good');
  const [isMeant, setIsMeant] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (good === undefined || isMeant) send(toBody(draft));
  };
  return (
    <form className={styles['form']} onSubmit={submit}>
      <TextField
        label="C2"
        isMono
        required
        autoFocus={draft.c2 === ''}
        hint="host:port, or a link. Defanged text is accepted: evil[.]example:4444, hxxp://evil[.]example/"
        {...field('c2')}
      />
      <TextField
        label="SHA-256 of the file"
        isMono
        required
        hint="64 hexadecimal digits"
        {...field('hash')}
      />
      <FileHint draft={draft} onChange={onChange} />
      <TextField label="Tags" hint="Separated by commas, at most 32" {...field('tags')} />
      <TextField
        label="Link to your evidence"
        hint="http or https. The page of the file on this server if you leave it empty."
        {...field('link')}
      />
      <TextField
        label={`Confidence, 0 to ${scale}`}
        inputMode="numeric"
        hint={`How sure you are. ${Math.floor(scale / 2)} if you leave it empty.`}
        {...field('confidence')}
      />
      {error !== null && (
        <p role="alert" className={styles['error']}>
          {explain(error).text}
          {error instanceof RapsheetError &&
            error.requestId !== undefined &&
            ` (request ${error.requestId})`}
        </p>
      )}
      {good !== undefined && (
        <CheckBox
          label={`Report it although the list “${visible(good.list)}” calls it good: no block list will have it`}
          checked={isMeant}
          onChange={({ target }) => setIsMeant(target.checked)}
        />
      )}
      <div>
        <Button
          type="submit"
          look="primary"
          disabled={
            previewed.preview === undefined || isPending || (good !== undefined && !isMeant)
          }
        >
          {isPending ? 'Sending …' : `Report to ${service}`}
        </Button>
      </div>
    </form>
  );
}

/** The name and suggested tags of the file from search, which is free. */
function FileHint({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const hash = draft.hash.trim().toLowerCase();
  const { data: file } = useQuery({
    ...fileHintQuery(hash),
    enabled: /^[0-9a-f]{64}$/.test(hash),
  });
  if (file === undefined) return null;
  if (file === null)
    return <p className={styles['quiet']}>The file is not analysed here, so no tags are known.</p>;
  return (
    <SuggestedTags
      fileName={file.fileName}
      tags={file.tags}
      chosen={draft.tags}
      onAdd={(tags) => onChange({ ...draft, tags })}
    />
  );
}

function useSend(service: string, onSent: () => void) {
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (body: CreateReportBody) => client.createReport(service, body),
    onSuccess: async ({ id, c2Rejected }) => {
      onSent();
      const hint = c2Rejected ? ' Its desk has rejected this C2 as a false positive.' : '';
      showToast({ text: `The report is in the feed.${hint}` });
      await navigate({ to: '/feeds/$service/reports/$id', params: { service, id } });
    },
  });
  return { send: mutate, error, isPending };
}
