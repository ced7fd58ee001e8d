import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ownershipQuery } from '../../api/ownership.ts';
import { Button } from '../button.tsx';
import { Empty, Failure, Skeleton } from '../states.tsx';
import styles from './ownership.module.css';
import { PatternCard } from './pattern-card.tsx';

interface Props {
  readonly service: string;
  /** What an owner or an administrator does if nothing is declared. */
  readonly advice: string;
}

/** A service may declare 2,000 patterns. */
const SHOWN = 50;

/** Which declared hosts are proven, what to publish for the others, and a check. */
export default function Ownership({ service, advice }: Props) {
  const { data, error, refetch } = useQuery(ownershipQuery(service));
  const [shown, setShown] = useState(SHOWN);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={4} label="Loading hosts" />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  const { patterns, challenge } = data;
  if (patterns.length === 0)
    return (
      <Empty title="No hosts declared">
        <p>{advice}</p>
      </Empty>
    );
  const remaining = patterns.length - shown;
  return (
    <>
      <p className={styles['note']}>
        Reports about declared hosts belong to this feed. If two services declare the same host, the
        one that has proven it gets them. To prove a host, publish the text of this service there
        and check it. The proof is then checked every day.
      </p>
      {patterns.slice(0, shown).map((pattern) => (
        <PatternCard
          key={pattern.pattern}
          service={service}
          declared={pattern}
          challenge={challenge}
        />
      ))}
      {remaining > 0 && (
        <Button size="small" onClick={() => setShown(shown + SHOWN)}>
          Show more ({remaining})
        </Button>
      )}
    </>
  );
}
