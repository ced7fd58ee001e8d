import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { AdministeredService } from '../../../../../src/client/wire.ts';
import { accountsQuery, adminServicesQuery } from '../../../api/admin.ts';
import { Button } from '../../../components/button.tsx';
import { LinkButton } from '../../../components/link-button.tsx';
import { Section } from '../../../components/page.tsx';
import { useScreenWidth } from '../../../components/screen-width.ts';
import { Empty, Failure, Skeleton } from '../../../components/states.tsx';
import { type Column, DataTable } from '../../../components/table/data-table.tsx';
import { addedServices, UNCLAIMED, UNCLAIMED_MEANING } from '../../../text/unclaimed.ts';
import { visible } from '../../../text/visible.ts';
import styles from '../admin-page.module.css';
import { Overlaps } from './overlaps.tsx';
import { ownersOf } from './service-draft.ts';

const OwnershipDialog = lazy(() => import('../../../components/ownership/ownership-dialog.tsx'));
const ServiceDialog = lazy(() => import('./service-dialog.tsx'));

const TWO_LINES = 58;

interface Row {
  readonly service: AdministeredService;
  /** The names of the accounts that own it. */
  readonly owners: readonly string[];
}

export function Services() {
  return (
    <>
      <ServiceList />
      <Overlaps />
    </>
  );
}

function ServiceList() {
  const services = useQuery(adminServicesQuery);
  const directory = useQuery(accountsQuery);
  const [edited, setEdited] = useState<AdministeredService | 'new'>();
  const [checked, setChecked] = useState<string>();
  const isNarrow = useScreenWidth() === 'narrow';
  const accounts = directory.data?.accounts ?? [];
  const rows = (services.data ?? []).map((service) => ({
    service,
    owners: ownersOf(service.slug, accounts),
  }));
  const add = (
    <Button size="small" look="primary" onClick={() => setEdited('new')}>
      New service
    </Button>
  );
  return (
    <Section title="Services" aside={add}>
      <p className={styles['intro']}>
        A service has a feed of reports about its hosts. Its patterns route a C2 address to that
        feed, and its owners answer the reports at the desk.
      </p>
      {services.error !== null && (
        <Failure error={services.error} onRetry={() => void services.refetch()} />
      )}
      {directory.error !== null && (
        <Failure error={directory.error} onRetry={() => void directory.refetch()} />
      )}
      {services.isPending && <Skeleton lines={6} label="Loading services" />}
      {services.data !== undefined && addedServices(services.data).length === 0 && (
        <Empty title="No services yet" action={add}>
          <p>Make the first one: researchers can report to its feed at once.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Services"
          columns={columnsOf(isNarrow, setEdited, setChecked)}
          {...(isNarrow && { rowHeight: TWO_LINES })}
          rows={rows}
          keyOf={({ service }) => service.slug}
        />
      )}
      {checked !== undefined && (
        <Suspense fallback={null}>
          <OwnershipDialog service={checked} onClose={() => setChecked(undefined)} />
        </Suspense>
      )}
      {edited !== undefined && (
        <Suspense fallback={null}>
          <ServiceDialog
            service={edited === 'new' ? undefined : edited}
            accounts={accounts}
            onClose={() => setEdited(undefined)}
          />
        </Suspense>
      )}
    </Section>
  );
}

function columnsOf(
  isNarrow: boolean,
  onEdit: (service: AdministeredService) => void,
  onCheck: (slug: string) => void,
): readonly Column<Row>[] {
  return [
    {
      id: 'slug',
      head: 'Service',
      width: 'minmax(var(--size-22), 1.3fr)',
      cell: ({ service }) => (
        <span className={isNarrow ? styles['two'] : ''}>
          <strong>{service.slug}</strong>{' '}
          {service.name !== service.slug && (
            <span className={styles['faint']}>{visible(service.name)}</span>
          )}
        </span>
      ),
    },
    {
      id: 'hosts',
      head: 'Hosts and networks',
      width: 'minmax(var(--size-40), 2.4fr)',
      from: 'medium',
      cell: ({ service }) => <Patterns service={service} />,
    },
    {
      id: 'proofs',
      head: 'Proven',
      width: '5.5rem',
      align: 'right',
      from: 'medium',
      cell: ({ service }) =>
        service.slug === UNCLAIMED ? null : <Proofs service={service} onCheck={onCheck} />,
    },
    {
      id: 'owners',
      head: 'Owners',
      width: 'minmax(var(--size-18), 1.3fr)',
      cell: ({ owners }) =>
        owners.length === 0 ? (
          <span className={`${styles['badge']} ${styles['warning']}`}>nobody</span>
        ) : (
          <span title={owners.map(visible).join(', ')}>{owners.map(visible).join(', ')}</span>
        ),
    },
    {
      id: 'expiry',
      head: 'Expires after',
      width: '6.75rem',
      align: 'right',
      from: 'wide',
      cell: ({ service }) => `${service.expireAfterDays} d`,
    },
    {
      id: 'feed',
      head: 'Feed',
      width: '4.25rem',
      align: 'right',
      from: 'medium',
      cell: ({ service }) => (
        <LinkButton
          size="small"
          look="quiet"
          to="/feeds/$service"
          params={{ service: service.slug }}
          aria-label={`Open the feed of ${service.slug}`}
        >
          Open
        </LinkButton>
      ),
    },
    {
      id: 'actions',
      head: 'Actions',
      width: '4.25rem',
      align: 'right',
      cell: ({ service }) => (
        <Button size="small" aria-label={`Edit ${service.slug}`} onClick={() => onEdit(service)}>
          Edit
        </Button>
      ),
    },
  ];
}

interface ProofsProps {
  readonly service: AdministeredService;
  readonly onCheck: (slug: string) => void;
}

/** How many of the hosts are proven. The button opens the proofs. */
function Proofs({ service: { slug, hosts, verifiedHosts }, onCheck }: ProofsProps) {
  const text = `${verifiedHosts.length} of ${hosts.length}`;
  return (
    <Button
      size="small"
      aria-label={`${text} hosts of ${slug} proven`}
      onClick={() => onCheck(slug)}
    >
      {text}
    </Button>
  );
}

function Patterns({ service }: { readonly service: AdministeredService }) {
  const { slug, hosts, networks } = service;
  const patterns = [...hosts, ...networks];
  const none = slug === UNCLAIMED ? UNCLAIMED_MEANING : 'none';
  if (patterns.length === 0) return <span className={styles['faint']}>{none}</span>;
  return (
    <span className={styles['mono']} title={patterns.slice(0, 50).join('\n')}>
      {patterns.slice(0, 8).join(', ')}
      {patterns.length > 8 && ` and ${patterns.length - 8} more`}
    </span>
  );
}
