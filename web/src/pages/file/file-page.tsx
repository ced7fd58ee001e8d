import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RapsheetError } from '../../../../src/client/error.ts';
import { fileQuery } from '../../api/files.ts';
import { useMe, useQuotaNote } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import { AnalysisPending } from './analysis-pending.tsx';
import { NO_DETAILS } from './file.ts';
import { FileHead } from './file-head.tsx';
import styles from './file-page.module.css';
import { FileTabs } from './file-tabs.tsx';
import { UnknownFile } from './unknown-file.tsx';

const route = getRouteApi('/signed-in/files/$hash');

/** The page that every `referenceLink` leads to. It costs one unit of the quota. */
export function FilePage() {
  const { hash } = route.useParams();
  const { tab } = route.useSearch();
  const cache = useQueryClient();
  const { data: file, error, refetch } = useQuery(fileQuery(hash));
  useQuotaNote(file?.quota ?? (error instanceof RapsheetError ? error.quota : undefined));
  if (file !== undefined) {
    const shown = {
      ...file,
      details: file.details ?? NO_DETAILS,
      isImported: file.details === null,
    };
    return (
      <Page title={visible(file.report.fileName)} head={<FileHead file={shown} />}>
        <FileTabs file={shown} tab={tab} />
        <Cost />
      </Page>
    );
  }
  if (error === null)
    return (
      <Page title="File">
        <Skeleton lines={10} label="Looking the file up" />
      </Page>
    );
  const code = error instanceof RapsheetError ? error.code : undefined;
  return (
    <Page title="File">
      {code === 'analysis_pending' && (
        <AnalysisPending
          hash={hash}
          onDone={() =>
            void cache.resetQueries({ queryKey: fileQuery(hash).queryKey, exact: true })
          }
        />
      )}
      {code === 'unknown_sample' && <UnknownFile hash={hash} />}
      {code !== 'analysis_pending' && code !== 'unknown_sample' && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      <Cost />
    </Page>
  );
}

/** What the page cost, and what is left. */
function Cost() {
  const { remaining } = useMe().quota;
  const left = remaining === null ? 'lookups are not limited' : `${formatNumber(remaining)} left`;
  return <p className={styles['cost']}>This lookup cost one unit; {left}.</p>;
}
