import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { proposalsOfFileQuery } from '../../api/proposals.ts';
import { fileHintQuery } from '../../api/reports.ts';
import { hasEnded, type UploadItem, uploads } from '../../api/upload/upload-queue.ts';
import { IconButton } from '../../components/button.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Heat } from '../../components/marks/heat.tsx';
import { formatBytes } from '../../text/format.ts';
import { brief, visible } from '../../text/visible.ts';
import { ReportButton } from './report-button.tsx';
import styles from './upload-page.module.css';
import { UploadProposals } from './upload-proposals.tsx';

const STEPS: Readonly<Record<UploadItem['step'], string>> = {
  waiting: 'waits',
  hashing: 'hashing',
  sending: 'sending',
  analysing: 'being analysed',
  done: 'analysed',
  failed: 'failed',
  cancelled: 'cancelled',
};

const NAME_LENGTH = 120;

export function UploadRow({ item }: { readonly item: UploadItem }) {
  const { name, sizeBytes, step, sha256 } = item;
  const shown = brief(name, NAME_LENGTH);
  return (
    <li className={styles['row']}>
      <div className={styles['file']}>
        <span className={styles['name']} title={visible(name)}>
          {shown}
        </span>
        <span className={styles['quiet']}>{formatBytes(sizeBytes)}</span>
        {sha256 !== undefined && <Hash value={sha256} kind="SHA-256" isShort />}
      </div>
      <div className={styles['state']}>
        {hasEnded(step) ? <Ended item={item} /> : <Bars item={item} />}
      </div>
      {!hasEnded(step) && (
        <IconButton
          size="small"
          label={`Cancel ${shown}`}
          icon={<X aria-hidden />}
          onClick={() => uploads.cancel(item.id)}
        />
      )}
      <UploadProposals item={item} />
    </li>
  );
}

function Ended({ item: { step, isKnown, problem, sha256 } }: { readonly item: UploadItem }) {
  return (
    <>
      <span className={step === 'failed' ? styles['failed'] : styles['quiet']}>
        {isKnown === true ? 'known, not sent' : STEPS[step]}
        {problem !== undefined && `: ${visible(problem)}`}
      </span>
      {step === 'done' && sha256 !== undefined && <Result sha256={sha256} />}
    </>
  );
}

/** Two bars: what was sent, and the analysis. */
function Bars({ item: { step, bytes, sizeBytes, isKnown } }: { readonly item: UploadItem }) {
  const isSent = step === 'analysing' || isKnown === true;
  const share = sizeBytes === 0 ? 1 : Math.min(1, bytes / sizeBytes);
  return (
    <div className={styles['bars']}>
      <label>
        <span>
          {step === 'hashing' || step === 'waiting' ? 'Hashed' : 'Sent'}{' '}
          {step === 'waiting' ? '' : `${Math.round(100 * (isSent ? 1 : share))} %`}
        </span>
        <progress max={1} value={step === 'waiting' ? 0 : isSent ? 1 : share} />
      </label>
      <label>
        <span>{step === 'analysing' ? 'Being analysed' : 'Analysed'}</span>
        <progress max={1} value={step === 'analysing' ? undefined : 0} />
      </label>
    </div>
  );
}

/** The name and tags of the file from search, which is free. */
function Result({ sha256 }: { readonly sha256: string }) {
  // An earlier answer, from before the analysis, may be that there is none.
  const { data } = useQuery({ ...fileHintQuery(sha256), refetchOnMount: 'always' });
  const { data: proposals } = useQuery(proposalsOfFileQuery(sha256));
  const tags = (data?.tags ?? []).toSorted((one, other) => other.heat - one.heat);
  return (
    <>
      <span className={styles['tags']}>
        {tags.slice(0, 3).map((tag) => (
          <Heat key={tag.name} {...tag} />
        ))}
      </span>
      <LinkButton size="small" to="/files/$hash" params={{ hash: sha256 }}>
        Open
      </LinkButton>
      {proposals?.length === 0 && <ReportButton sha256={sha256} />}
    </>
  );
}
