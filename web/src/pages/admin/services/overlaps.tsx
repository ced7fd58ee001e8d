import { useInfiniteQuery } from '@tanstack/react-query';
import type { OverlapPage } from '../../../../../src/client/wire.ts';
import { overlapsQuery } from '../../../api/admin.ts';
import { Button } from '../../../components/button.tsx';
import { Section } from '../../../components/page.tsx';
import { Failure } from '../../../components/states.tsx';
import { type Column, DataTable } from '../../../components/table/data-table.tsx';
import { visible } from '../../../text/visible.ts';
import styles from '../admin-page.module.css';

type Overlap = OverlapPage['overlaps'][number];
type Pattern = Omit<Overlap, 'within'>;

const TWO_LINES = 58;

/** Hosts and networks in those of another service. Nothing is shown if there are none. */
export function Overlaps() {
  const list = useInfiniteQuery(overlapsQuery);
  const overlaps = (list.data?.pages ?? []).flatMap((page) => page.overlaps);
  if (list.error !== null)
    return (
      <Section title="Overlaps">
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      </Section>
    );
  if (overlaps.length === 0 && !list.hasNextPage) return null;
  return (
    <Section title="Overlaps">
      <p className={styles['intro']}>
        These hosts and networks are also covered by another service. A C2 goes to the most specific
        one; among equal ones, to a service that has proven its ownership.
      </p>
      {overlaps.length > 0 && (
        <DataTable
          label="Overlaps"
          columns={COLUMNS}
          rowHeight={TWO_LINES}
          rows={overlaps}
          keyOf={({ pattern, service }) => `${service} ${pattern}`}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
          }}
        />
      )}
      {overlaps.length === 0 && (
        <Button
          size="small"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Examine more hosts
        </Button>
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Overlap>[] = [
  {
    id: 'pattern',
    head: 'Host or network',
    width: 'minmax(var(--size-30), 1fr)',
    cell: (overlap) => <Declared declared={overlap} />,
  },
  {
    id: 'within',
    head: 'Inside of',
    width: 'minmax(var(--size-30), 1fr)',
    cell: ({ within }) => <Declared declared={within} />,
  },
];

function Declared({ declared }: { readonly declared: Pattern }) {
  const { pattern, service, verified, publicSuffix } = declared;
  return (
    <span className={styles['two']}>
      <span className={styles['mono']}>{visible(pattern)}</span>{' '}
      <span className={styles['faint']}>
        {service}, {verified ? 'verified' : 'declared'}
        {publicSuffix && (
          <>
            {' '}
            <span className={`${styles['badge']} ${styles['warning']}`}>
              public suffix, not used
            </span>
          </>
        )}
      </span>
    </span>
  );
}
