import { useQuery, useQueryClient } from '@tanstack/react-query';
import { similarQuery } from '../../api/files.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Heat } from '../../components/marks/heat.tsx';
import { Section } from '../../components/page.tsx';
import { BarList } from '../../components/plots/bar-list.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './file-page.module.css';

/**
 * Starts the search, which costs one unit, unless this tab of the browser has its result. Called on
 * a click only: a reload of the page, or a link to this tab, shows a button instead.
 */
export function useLookForSimilar(hash: string): () => void {
  const cache = useQueryClient();
  return () => void cache.prefetchQuery(similarQuery(hash));
}

/** Files with a similar fuzzy hash, best first. */
export function SimilarTab({ hash }: { readonly hash: string }) {
  const { data, error, isFetching, refetch } = useQuery({ ...similarQuery(hash), enabled: false });
  if (isFetching) return <Skeleton lines={6} label="Looking for similar files" />;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined)
    return (
      <Empty
        title="Similar files"
        action={
          <Button look="primary" onClick={() => void refetch()}>
            Look for similar files (1 unit)
          </Button>
        }
      >
        <p>Files that share runs of bytes with this one, by ssdeep. The search costs one lookup.</p>
      </Empty>
    );
  if (data.similar.length === 0)
    return (
      <Empty title="No similar file is known">
        <p>No other file shares runs of bytes with this one, by ssdeep.</p>
      </Empty>
    );
  return (
    <Section
      title={count(data.similar.length, 'similar file')}
      aside={
        <span className={styles['quiet']}>ssdeep score of 100; opening one costs one unit</span>
      }
    >
      <BarList
        label="Similar files by score"
        max={100}
        bars={data.similar.map(({ sha256Hash, score, fileName, tags }) => ({
          id: sha256Hash,
          value: score,
          label: (
            <span className={styles['similar']}>
              <Hash value={sha256Hash} kind="SHA-256" isShort isLinked />
              <span>{visible(fileName)}</span>
              {tags.slice(0, 2).map((tag) => (
                <Heat key={tag.name} {...tag} />
              ))}
            </span>
          ),
        }))}
      />
    </Section>
  );
}
