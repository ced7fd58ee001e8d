import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Service } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import { isResearcher, type Me, sessionQuery } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toasts.tsx';
import { fieldErrors } from '../../../text/field-errors.ts';
import { addedServices, UNCLAIMED } from '../../../text/unclaimed.ts';
import { visible } from '../../../text/visible.ts';
import { EXAMPLE } from './example-file.ts';
import styles from './first-run.module.css';

interface Props {
  readonly me: Me;
  readonly services: readonly Service[];
  readonly onClose: () => void;
}

interface FirstReport {
  readonly service: string;
  readonly c2: string;
  readonly hash: string;
}

/** Loaded when it is opened. */
export default function FirstReportDialog({ me, services, onClose }: Props) {
  const [report, setReport] = useState<FirstReport>({
    service: addedServices(services)[0]?.slug ?? UNCLAIMED,
    c2: '',
    hash: '',
  });
  const { send, error, isPending } = useSend(me, onClose);
  const { fields, other } = fieldErrors(error, ['c2Address', 'file256Hash']);
  const hasHash = /^[0-9a-f]{64}$/i.test(report.hash.trim());
  return (
    <FormDialog
      title="Send a first report"
      action="Send the report"
      isReady={!isPending && hasHash && report.c2.trim() !== ''}
      problem={other}
      onSubmit={() => send(report)}
      onClose={onClose}
    >
      <SelectField
        label="Service"
        options={services.map(({ slug, name }) => ({ value: slug, label: visible(name) }))}
        value={report.service}
        onChange={({ target }) => setReport({ ...report, service: target.value })}
      />
      <TextField
        label="C2 address"
        hint="host:port; defanged forms such as evil[.]example:4444 are fine."
        placeholder="evil[.]example:4444"
        isMono
        required
        value={report.c2}
        error={fields.c2Address}
        onChange={({ target }) => setReport({ ...report, c2: target.value })}
      />
      <TextField
        label="SHA-256 of the file"
        hint="The file that talks to it. It need not be known here."
        isMono
        required
        value={report.hash}
        error={
          report.hash.trim() === '' || hasHash
            ? fields.file256Hash
            : `A SHA-256 has 64 hexadecimal digits; this has ${report.hash.trim().length} characters.`
        }
        onChange={({ target }) => setReport({ ...report, hash: target.value })}
      />
      {isExample(report) ? (
        <p className={styles['around']}>
          This is the file of the demo, a harmless text. It is uploaded with the report, so that its
          page can be opened. Its address is reserved for documentation: no block list has it. You
          can delete the report on its page.
        </p>
      ) : (
        <p className={styles['noFile']}>
          No file at hand?
          <Button
            size="small"
            onClick={() => setReport({ ...report, c2: EXAMPLE.c2, hash: EXAMPLE.sha256 })}
          >
            Use the file of the demo
          </Button>
        </p>
      )}
      {!isResearcher(me) && (
        <p>Only researchers report: your account gets the role researcher with this.</p>
      )}
    </FormDialog>
  );
}

function isExample({ hash }: FirstReport): boolean {
  return hash.trim().toLowerCase() === EXAMPLE.sha256;
}

function useSend(me: Me, onDone: () => void) {
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (report: FirstReport) => {
      const { service, c2, hash } = report;
      if (!isResearcher(me)) {
        await client.changeAccount(me.id, { roles: [...me.roles, 'researcher'] });
        await cache.invalidateQueries({ queryKey: sessionQuery.queryKey });
      }
      if (isExample(report))
        await client.upload(new Blob([EXAMPLE.content]), { fileName: EXAMPLE.fileName });
      await client.createReport(service, { c2Address: c2.trim(), file256Hash: hash.trim() });
    },
    onSuccess: async () => {
      showToast({ text: 'The report is in the feed.' });
      onDone();
      await cache.invalidateQueries({ queryKey: ['feed', 'all'] });
    },
  });
  return { send: mutate, error, isPending };
}
