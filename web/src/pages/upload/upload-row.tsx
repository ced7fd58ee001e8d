import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { fileHintQuery } from '../../api/reports.ts';
import type { UploadItem } from '../../api/upload/upload-queue.ts';
import { Hash } from '../../components/hash.tsx';
import { Heat } from '../../components/heat.tsx';
import { formatBytes } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './upload-page.module.css';

const STEPS: Readonly<Record<UploadItem['step'], string>> = {
  waiting: 'waits',
  hashing: 'hashing',
  sending: 'sending',
  analysing: 'being analysed',
  done: 'analysed',
  failed: 'failed',
};

export function UploadRow({ item }: { readonly item: UploadItem }) {
  const { name, sizeBytes, step, sha256, isKnown, problem } = item;
  return (
    <li className={styles['row']}>
      <div className={styles['file']}>
        <span className={styles['name']}>{visible(name)}</span>
        <span className={styles['quiet']}>{formatBytes(sizeBytes)}</span>
        {sha256 !== undefined && <Hash value={sha256} kind="SHA-256" isShort />}
      </div>
      <div className={styles['state']}>
        <span className={step === 'failed' ? styles['failed'] : styles['quiet']}>
          {STEPS[step]}
          {isKnown === true && ' (known, not sent)'}
          {problem !== undefined && `: ${visible(problem)}`}
        </span>
        <Bars item={item} />
        {step === 'done' && sha256 !== undefined && <Result sha256={sha256} />}
      </div>
    </li>
  );
}

/** Two bars: what was sent, and the analysis. */
function Bars({ item: { step, bytes, sizeBytes, isKnown } }: { readonly item: UploadItem }) {
  if (step === 'done' || step === 'failed' || step === 'waiting') return null;
  const sent = step === 'analysing' ? sizeBytes : bytes;
  return (
    <span className={styles['bars']}>
      <progress
        aria-label={step === 'hashing' ? 'Hashed' : 'Sent'}
        max={Math.max(1, sizeBytes)}
        value={isKnown === true ? sizeBytes : Math.min(sent, sizeBytes)}
      />
      {step === 'analysing' ? (
        <progress aria-label="Analysis" />
      ) : (
        <progress aria-label="Analysis" max={1} value={0} />
      )}
    </span>
  );
}

/** What search tells of the file, which is free. */
function Result({ sha256 }: { readonly sha256: string }) {
  const { data } = useQuery(fileHintQuery(sha256));
  return (
    <span className={styles['result']}>
      {(data?.tags ?? []).map((tag) => (
        <Heat key={tag.name} {...tag} />
      ))}
      <Link to="/files/$hash" params={{ hash: sha256 }}>
        Open and report
      </Link>
      <span className={styles['quiet']}>(one unit)</span>
    </span>
  );
}
