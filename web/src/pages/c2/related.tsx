import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RelatedToAddress } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { Section } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { count, formatNumber } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import styles from './address-summary.module.css';
import { pivotOf } from './pivot/pivot.ts';
import { PivotGraph } from './pivot/pivot-graph.tsx';
import { PivotTable } from './pivot/pivot-table.tsx';
import { siblingsOf } from './pivot/related-lists.ts';

/** What belongs to `host:port` or a host. Free. */
function relatedQuery(address: string) {
  return queryOptions({
    queryKey: ['related', address],
    queryFn: () => client.showRelated(address),
    staleTime: 30_000,
    refetchOnMount: true,
  });
}

/** What belongs to the address: lists, and a graph of two steps. */
export function Related({ address }: { readonly address: string }) {
  const { data, error, refetch } = useQuery(relatedQuery(address));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={6} label="Loading what belongs to it" />;
  return (
    <>
      <Graph key={address} related={data} address={address} />
      <div className={styles['columns']}>
        <Siblings related={data} />
        <SameHost related={data} />
        <Below related={data} />
      </div>
    </>
  );
}

interface Props {
  readonly related: RelatedToAddress;
}

function Graph({ related, address }: Props & { readonly address: string }) {
  const pivot = pivotOf(related);
  const nodes = pivot.columns.flat().length;
  // The address and its host say nothing new.
  if (nodes <= 2) return null;
  const name = `What is within two steps of ${defang(address)}`;
  return (
    <Section
      title="Pivot graph"
      aside={
        <span className={styles['quiet']}>
          {pivot.isCut ? `${count(nodes, 'node')} of more. ` : ''}Arrow keys move, Enter opens. A
          file costs one unit.
        </span>
      }
    >
      <PivotGraph pivot={pivot} label={name} />
      <details>
        <summary>As a table</summary>
        <PivotTable pivot={pivot} label={name} />
      </details>
    </Section>
  );
}

function Siblings({ related }: Props) {
  const { c2s, hasMore } = siblingsOf(related);
  return (
    <Bounded title="Other C2s of the same settings" total={c2s.length} hasMore={hasMore}>
      {c2s.map(({ c2, files, families }) => (
        <li key={c2}>
          <Address value={c2} />
          <span className={styles['quiet']}>
            {[...families.map((family) => brief(family)), inFiles(files, hasMore)].join(', ')}
          </span>
        </li>
      ))}
    </Bounded>
  );
}

function inFiles(files: number, hasMore: boolean): string {
  return `in ${hasMore ? 'at least ' : ''}${count(files, 'file')}`;
}

function SameHost({ related: { c2, sameHost } }: Props) {
  const title = c2 === undefined ? 'C2s of this host' : 'Other C2s of the same host';
  return (
    <Bounded title={title} total={sameHost.c2s.length} hasMore={sameHost.hasMore}>
      {sameHost.c2s.map((other) => (
        <li key={other}>
          <Address value={other} />
        </li>
      ))}
    </Bounded>
  );
}

function Below({ related: { host, below } }: Props) {
  return (
    <Bounded
      title={`Names below ${defang(host)}`}
      total={below.hosts.length}
      hasMore={below.hasMore}
    >
      {below.hosts.map((name) => (
        <li key={name}>
          <Address value={name} />
        </li>
      ))}
    </Bounded>
  );
}

const SHOWN = 10;

interface BoundedProps {
  readonly title: string;
  readonly total: number;
  readonly hasMore: boolean;
  readonly children: readonly ReactNode[];
}

/** A list that says what it leaves out; nothing if it is empty. */
function Bounded({ title, total, hasMore, children }: BoundedProps) {
  const [isOpen, setOpen] = useState(false);
  if (total === 0) return null;
  const shown = isOpen ? children : children.slice(0, SHOWN);
  return (
    <Section title={`${title} (${hasMore ? 'at least ' : ''}${formatNumber(total)})`}>
      <ul className={styles['related']}>{shown}</ul>
      {shown.length < total && (
        <div>
          <Button size="small" look="quiet" onClick={() => setOpen(true)}>
            Show all {formatNumber(total)}
          </Button>
        </div>
      )}
    </Section>
  );
}
