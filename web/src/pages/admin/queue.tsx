import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnalysisQueue, FailedSample } from '../../../../src/client/wire.ts';
import { failedQuery, queueQuery, refreshAdmin } from '../../api/admin.ts';
import { client } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Time } from '../../components/marks/time.tsx';
import { showError, showToast } from '../../components/overlays/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { useScreenWidth } from '../../components/screen-width.ts';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table/data-table.tsx';
import { formatBytes, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './admin-page.module.css';
import { counted, Figure } from './figure.tsx';
import { Reanalysis } from './reanalysis.tsx';

const TWO_LINES = 58;
const THREE_LINES = 80;

export function Queue() {
  const queue = useQuery(queueQuery);
  return (
    <>
      <Section title="Queue">
        {queue.error !== null && (
          <Failure error={queue.error} onRetry={() => void queue.refetch()} />
        )}
        {queue.isPending && <Skeleton lines={3} label="Loading the queue" />}
        {queue.data !== undefined && <Figures queue={queue.data} />}
      </Section>
      <Reanalysis />
      <FailedSamples />
    </>
  );
}

function Figures({ queue }: { readonly queue: AnalysisQueue }) {
  return (
    <dl className={styles['figures']}>
      <Figure name="Waiting" note="no worker has begun" value={counted(queue.waiting)} />
      <Figure name="Running" note="on all nodes" value={counted(queue.running)} />
      <Figure name="Failed" note="listed below" value={counted(queue.failed)} />
      <Figure
        name="Oldest"
        note="waiting or running"
        value={queue.oldestUploadedAt === null ? '–' : <Time at={queue.oldestUploadedAt} />}
      />
    </dl>
  );
}

function FailedSamples() {
  const list = useInfiniteQuery(failedQuery);
  const cache = useQueryClient();
  const isNarrow = useScreenWidth() === 'narrow';
  const again = useMutation({
    mutationFn: (sample: FailedSample) => client.analyseAgain(sample.sha256Hash),
    onSuccess: (_, { fileName }) => showToast({ text: `${visible(fileName)} is queued again.` }),
    onError: showError,
    onSettled: () => refreshAdmin(cache),
  });
  const samples = (list.data?.pages ?? []).flatMap((page) => page.samples);
  const running = again.isPending ? again.variables.sha256Hash : undefined;
  return (
    <Section title="Failed samples">
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} label="Loading failed samples" />}
      {list.data !== undefined && samples.length === 0 && (
        <Empty title="No analysis has failed">
          <p>
            A sample is listed here when its last attempt failed, with the reason. If it was
            analysed before, it keeps that report.
          </p>
        </Empty>
      )}
      {samples.length > 0 && (
        <DataTable
          label="Failed samples, newest first"
          columns={columnsOf(isNarrow, running, (sample) => again.mutate(sample))}
          rows={samples}
          rowHeight={isNarrow ? THREE_LINES : TWO_LINES}
          keyOf={({ sha256Hash }) => sha256Hash}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
          }}
        />
      )}
    </Section>
  );
}

function columnsOf(
  isNarrow: boolean,
  running: string | undefined,
  onAgain: (sample: FailedSample) => void,
): readonly Column<FailedSample>[] {
  const label = isNarrow ? 'Again' : 'Analyse again';
  return [
    {
      id: 'file',
      head: 'File',
      width: isNarrow ? 'minmax(0, 1fr)' : 'minmax(var(--size-50), 2fr)',
      cell: (sample) => <File sample={sample} isNarrow={isNarrow} />,
    },
    {
      id: 'reason',
      head: 'Reason',
      width: 'minmax(var(--size-45), 3fr)',
      from: 'medium',
      cell: ({ reason }) => (
        <span className={styles['wrapped']} title={visible(reason)}>
          {visible(reason)}
        </span>
      ),
    },
    {
      id: 'attempts',
      head: 'Attempts',
      width: '5rem',
      from: 'medium',
      cell: ({ attempts }) => (attempts === null ? '–' : formatNumber(attempts)),
    },
    {
      id: 'uploader',
      head: 'Uploaded by',
      width: 'minmax(var(--size-25), 1fr)',
      from: 'wide',
      cell: ({ uploadedBy }) => visible(uploadedBy),
    },
    {
      id: 'failed',
      head: 'Failed',
      width: '6rem',
      from: 'medium',
      cell: ({ failedAt }) => <Time at={failedAt} />,
    },
    {
      id: 'actions',
      head: 'Actions',
      width: isNarrow ? '4.25rem' : '8rem',
      align: 'right',
      cell: (sample) => (
        <Button
          size="small"
          disabled={running === sample.sha256Hash}
          aria-label={`${label}: ${visible(sample.fileName)}`}
          onClick={() => onAgain(sample)}
        >
          {label}
        </Button>
      ),
    },
  ];
}

interface FileProps {
  readonly sample: FailedSample;
  readonly isNarrow: boolean;
}

/** The page of the file is not linked: it would cost a unit and say no more. */
function File({ sample, isNarrow }: FileProps) {
  const { fileName, sizeInBytes, sha256Hash, reason } = sample;
  return (
    <span className={styles['two']}>
      <span title={visible(fileName)}>
        {visible(fileName)} <span className={styles['faint']}>{formatBytes(sizeInBytes)}</span>
      </span>
      {isNarrow ? (
        <span className={`${styles['faint']} ${styles['wrapped']}`}>{visible(reason)}</span>
      ) : (
        <Hash value={sha256Hash} kind="SHA-256" isShort />
      )}
    </span>
  );
}
