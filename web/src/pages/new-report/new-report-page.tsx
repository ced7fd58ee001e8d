import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { RapsheetError } from '../../../../src/client/error.ts';
import type { CreateReportBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { fileHintQuery } from '../../api/reports.ts';
import { serviceQuery } from '../../api/services.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Page } from '../../components/page.tsx';
import { explain, NoPermission } from '../../components/states.tsx';
import { showToast } from '../../components/toasts.tsx';
import { type Draft, problemsOf, toBody } from './draft.ts';
import styles from './new-report-page.module.css';
import { Preview } from './preview.tsx';
import { SuggestedTags } from './suggested-tags.tsx';

const route = getRouteApi('/signed-in/feeds/$service/new');

/** Reports a C2 address to a service. */
export function NewReportPage() {
  const { service } = route.useParams();
  const search = route.useSearch();
  const [draft, setDraft] = useState<Draft>({
    c2: search.c2 ?? '',
    hash: search.hash ?? '',
    tags: '',
    link: '',
    confidence: '',
  });
  if (!isResearcher(useMe()))
    return (
      <Page title="New report">
        <NoPermission need="the role researcher" helper="An administrator can give it to you." />
      </Page>
    );
  return (
    <Page title={`New report to ${service}`}>
      <div className={styles['columns']}>
        <ReportForm service={service} draft={draft} onChange={setDraft} />
        <Preview service={service} draft={draft} />
      </div>
    </Page>
  );
}

interface FormProps {
  readonly service: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function ReportForm({ service, draft, onChange }: FormProps) {
  const navigate = useNavigate();
  const { data: found } = useQuery(serviceQuery(service));
  const scale = found?.confidenceScale ?? 100;
  const problems = problemsOf(draft, scale);
  const { data: file } = useQuery({
    ...fileHintQuery(draft.hash.trim().toLowerCase()),
    enabled: problems.hash === undefined && draft.hash !== '',
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: (body: CreateReportBody) => client.createReport(service, body),
    onSuccess: async ({ id }) => {
      showToast({ text: 'The report is in the feed.' });
      await navigate({ to: '/feeds/$service/reports/$id', params: { service, id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(toBody(draft));
  };
  const field = (name: keyof Draft) => ({
    value: draft[name],
    error: draft[name] === '' ? undefined : problems[name],
    onChange: ({ target }: { target: { value: string } }) =>
      onChange({ ...draft, [name]: target.value }),
  });
  const isIncomplete = draft.c2 === '' || draft.hash === '' || Object.keys(problems).length > 0;
  return (
    <form className={styles['form']} onSubmit={submit}>
      <TextField
        label="C2"
        isMono
        required
        hint="host:port. Defanged dots are accepted: evil[.]example:4444"
        {...field('c2')}
      />
      <TextField
        label="SHA-256 of the file"
        isMono
        required
        hint="64 hexadecimal digits"
        {...field('hash')}
      />
      <TextField label="Tags" hint="Separated by commas, at most 32" {...field('tags')} />
      {file !== undefined && file !== null && (
        <SuggestedTags
          tags={file.tags.map(({ name }) => name.toLowerCase())}
          chosen={draft.tags}
          onAdd={(tags) => onChange({ ...draft, tags })}
        />
      )}
      <TextField
        label="Link to your evidence"
        type="url"
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
      <div>
        <Button type="submit" look="primary" disabled={isIncomplete || isPending}>
          {isPending ? 'Sending …' : 'Report'}
        </Button>
      </div>
    </form>
  );
}
