import { useQuery } from '@tanstack/react-query';
import { similarQuery } from '../../api/files.ts';
import { useQuotaNote } from '../../api/session.ts';
import { Hash } from '../../components/hash.tsx';
import { Heat } from '../../components/heat.tsx';
import { BarList } from '../../components/plots/bar-list.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './file-page.module.css';

/** Files with a similar fuzzy hash, best first. Opening the tab costs one unit. */
export function SimilarTab({ hash }: { readonly hash: string }) {
  const { data, error, refetch } = useQuery(similarQuery(hash));
  useQuotaNote(data?.quota);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={6} label="Looking for similar files" />;
  if (data.similar.length === 0)
    return (
      <Empty title="No similar file is known">
        <p>Similar means by ssdeep: files that share runs of bytes.</p>
      </Empty>
    );
  return (
    <BarList
      label="Similar files by score"
      max={100}
      bars={data.similar.map(({ sha256Hash, score, fileName, tags }) => ({
        id: sha256Hash,
        value: score,
        label: (
          <span className={styles['c2']}>
            <Hash value={sha256Hash} kind="SHA-256" isShort isLinked />
            <span>{visible(fileName)}</span>
            {tags.slice(0, 2).map((tag) => (
              <Heat key={tag.name} {...tag} />
            ))}
          </span>
        ),
      }))}
    />
  );
}
