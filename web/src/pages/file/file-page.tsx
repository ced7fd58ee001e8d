import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RapsheetError } from '../../../../src/client/error.ts';
import { fileQuery, sampleStatusQuery, similarQuery } from '../../api/files.ts';
import { useMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import { AnalysisPending } from './analysis-pending.tsx';
import { FailedAnalysis } from './failed-analysis.tsx';
import { NO_DETAILS } from './file.ts';
import { FileActions } from './file-actions.tsx';
import { FileHead } from './file-head.tsx';
import styles from './file-page.module.css';
import { FileTabs } from './file-tabs.tsx';
import { UnknownFile } from './unknown-file.tsx';

const route = getRouteApi('/signed-in/files/$hash');

/**
 * The page that every `referenceLink` leads to. It costs one unit of the quota, once in a session
 * of the browser, and only if there is something to show: whether the file is known and analysed is
 * asked first, which is free.
 */
export function FilePage() {
  // Normalised, so that upper and lower case share one lookup.
  const hash = route.useParams().hash.toLowerCase();
  const { tab } = route.useSearch();
  const status = useQuery(sampleStatusQuery(hash));
  const isDone = status.data?.status === 'done';
  const { data: file, error, refetch } = useQuery({ ...fileQuery(hash), enabled: isDone });
  const searches = useSearchesPaidFor(file?.report.sha256Hash ?? hash);
  if (file !== undefined) {
    const shown = {
      ...file,
      details: file.details ?? NO_DETAILS,
      isImported: file.details === null,
    };
    return (
      <Page
        title={visible(file.report.fileName)}
        head={<FileHead file={shown} />}
        actions={<FileActions file={shown} />}
      >
        <FileTabs file={shown} tab={tab} />
        <Cost units={searches + (file.isKept ? 0 : 1)} isKept={file.isKept} />
      </Page>
    );
  }
  const isMiss = error instanceof RapsheetError && error.code === 'unknown_sample';
  const problem = isMiss ? null : (error ?? status.error);
  return (
    <Page title="File">
      {problem !== null && (
        <Failure
          error={problem}
          onRetry={() => void (status.error === null ? refetch() : status.refetch())}
        />
      )}
      {problem === null && (
        <Waiting hash={hash} state={isMiss ? { status: 'unknown' } : status.data} />
      )}
      {status.data !== undefined && !isDone && <Cost units={0} />}
      {isMiss && <Cost units={1} />}
    </Page>
  );
}

interface WaitingProps {
  readonly hash: string;
  readonly state: { readonly status: string; readonly reason?: string | undefined } | undefined;
}

/** Before there is a report, or instead of one. */
function Waiting({ hash, state }: WaitingProps) {
  switch (state?.status) {
    case 'queued':
    case 'running':
      return <AnalysisPending isRunning={state.status === 'running'} />;
    case 'failed':
      return <FailedAnalysis hash={hash} reason={state.reason} />;
    case 'unknown':
      return <UnknownFile hash={hash} />;
    default:
      return <Skeleton lines={12} label="Looking the file up" />;
  }
}

/** How many searches for similar files this tab of the browser has results of. */
function useSearchesPaidFor(hash: string): number {
  const bySsdeep = useQuery({ ...similarQuery(hash), enabled: false });
  const byTlsh = useQuery({ ...similarQuery(hash, 'tlsh'), enabled: false });
  return [bySsdeep, byTlsh].filter(({ data }) => data !== undefined).length;
}

/** What the page cost, and what is left. */
function Cost({ units, isKept = false }: { readonly units: number; readonly isKept?: boolean }) {
  const { remaining } = useMe().quota;
  const left = remaining === null ? 'units are not limited' : `${formatNumber(remaining)} left`;
  return (
    <p className={styles['cost']}>
      {costOf(units, isKept)}; {left}.
    </p>
  );
}

const COSTS = [
  'This cost nothing',
  'This lookup cost one unit',
  'This lookup and the search for similar files cost one unit each',
  'This lookup and the two searches for similar files cost one unit each',
] as const;

const KEPT_COSTS = [
  'This was looked up before in this browser and cost nothing',
  'The search for similar files cost one unit',
  'The two searches for similar files cost one unit each',
] as const;

function costOf(units: number, isKept: boolean): string {
  return (isKept ? KEPT_COSTS : COSTS)[units] ?? '';
}
