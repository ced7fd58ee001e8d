import { useQueries, useQuery } from '@tanstack/react-query';
import { proposalsOfFileQuery } from '../../api/proposals.ts';
import { type UploadItem, uploads } from '../../api/upload/upload-queue.ts';
import { Button } from '../../components/button.tsx';
import { ProposalList } from '../../components/proposals/proposal-list.tsx';
import { ReportAllProposals } from '../../components/proposals/report-all.tsx';
import styles from './upload-page.module.css';

/** What the analysis of an upload proposes, below it. */
export function UploadProposals({ item }: { readonly item: UploadItem }) {
  if (item.step !== 'done' || item.sha256 === undefined) return null;
  return <Proposed item={item} sha256={item.sha256} />;
}

interface ProposedProps {
  readonly item: UploadItem;
  readonly sha256: string;
}

/** Mounted when the upload is done, and again after a known file was sent anyway. */
function Proposed({ item, sha256 }: ProposedProps) {
  // An earlier answer, from before the analysis, had none.
  const { data } = useQuery({ ...proposalsOfFileQuery(sha256), refetchOnMount: 'always' });
  if (data === undefined) return null;
  if (data.length > 0)
    return (
      <div className={styles['proposals']}>
        <ProposalList proposals={data} />
      </div>
    );
  if (item.isKnown !== true) return null;
  return (
    <p className={`${styles['proposals']} ${styles['quiet']}`}>
      Reports are proposed to those who send a file.{' '}
      <Button size="small" look="quiet" onClick={() => uploads.send(item.id)}>
        Send it
      </Button>
    </p>
  );
}

/** Reports whatever is proposed for these uploads and not decided yet. */
export function ReportAll({ items }: { readonly items: readonly UploadItem[] }) {
  const hashes = items.flatMap(({ step, sha256 }) =>
    step === 'done' && sha256 !== undefined ? [sha256] : [],
  );
  const open = useQueries({
    queries: [...new Set(hashes)].map((sha256) => proposalsOfFileQuery(sha256)),
    combine: (results) =>
      results.flatMap(({ data = [] }) => data.filter(({ state }) => state === 'open')),
  });
  return <ReportAllProposals proposals={open} look="primary" />;
}
