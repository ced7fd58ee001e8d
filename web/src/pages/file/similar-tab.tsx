import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SimilarSamples } from '../../../../src/client/wire.ts';
import { type SimilarityMeasure, similarQuery } from '../../api/files.ts';
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

interface MeasureTexts {
  /** What the search finds. */
  readonly finds: string;
  readonly button: string;
  readonly empty: string;
  readonly aside: string;
  readonly label: string;
}

const TEXTS: Readonly<Record<SimilarityMeasure, MeasureTexts>> = {
  ssdeep: {
    finds: 'Files that share runs of bytes with this one, by ssdeep. The search costs one unit.',
    button: 'Look for similar files (1 unit)',
    empty: 'No other file shares runs of bytes with this one, by ssdeep.',
    aside: 'ssdeep score of 100; opening one costs one unit',
    label: 'Similar files by score',
  },
  tlsh: {
    finds:
      'Files whose bytes are distributed like those of this one, by TLSH, even if no run of bytes is the same. The search costs one unit.',
    button: 'Look for files close by TLSH (1 unit)',
    empty: 'No other file is within a TLSH distance of 100.',
    aside: 'TLSH distance, where 0 is closest; opening one costs one unit',
    label: 'Similar files by distance',
  },
};

/** Files with a similar digest, best first: by ssdeep, and by TLSH if the file has a digest. */
export function SimilarTab({
  hash,
  hasTlsh,
}: {
  readonly hash: string;
  readonly hasTlsh: boolean;
}) {
  return (
    <>
      <SimilarFiles hash={hash} by="ssdeep" />
      {hasTlsh && <SimilarFiles hash={hash} by="tlsh" />}
    </>
  );
}

function SimilarFiles({ hash, by }: { readonly hash: string; readonly by: SimilarityMeasure }) {
  const query = { ...similarQuery(hash, by), enabled: false };
  const { data, error, isFetching, refetch } = useQuery(query);
  const texts = TEXTS[by];
  if (isFetching) return <Skeleton lines={6} label="Looking for similar files" />;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined)
    return (
      <Empty
        title={by === 'tlsh' ? 'Close files' : 'Similar files'}
        action={
          <Button look={by === 'tlsh' ? 'plain' : 'primary'} onClick={() => void refetch()}>
            {texts.button}
          </Button>
        }
      >
        <p>{texts.finds}</p>
      </Empty>
    );
  if (data.similar.length === 0)
    return (
      <Empty title={by === 'tlsh' ? 'No close file is known' : 'No similar file is known'}>
        <p>{texts.empty}</p>
      </Empty>
    );
  return (
    <Section
      title={count(data.similar.length, by === 'tlsh' ? 'close file' : 'similar file')}
      aside={<span className={styles['quiet']}>{texts.aside}</span>}
    >
      <BarList
        label={texts.label}
        max={100}
        bars={data.similar.map((file) => barOf(file, by))}
        hasLongLabels
      />
    </Section>
  );
}

function barOf(
  { sha256Hash, score, distance, fileName, tags }: SimilarSamples['similar'][number],
  by: SimilarityMeasure,
) {
  return {
    id: sha256Hash,
    // The closest file has the longest bar by either measure.
    value: by === 'tlsh' ? 100 - (distance ?? 100) : score,
    ...(by === 'tlsh' && { text: String(distance) }),
    label: (
      <span className={styles['similar']}>
        <Hash value={sha256Hash} kind="SHA-256" isShort isLinked />
        <span>{visible(fileName)}</span>
        {tags.slice(0, 2).map((tag) => (
          <Heat key={tag.name} {...tag} />
        ))}
      </span>
    ),
  };
}
