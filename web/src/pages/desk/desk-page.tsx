import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useStatistics } from '../../api/feed-statistics.ts';
import { useMe } from '../../api/session.ts';
import { useStatusCounts } from '../../api/status-counts.ts';
import { Page, Section } from '../../components/page.tsx';
import { NoPermission, Skeleton } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import { useDeskActions } from './desk-actions.ts';
import { DeskFigures } from './desk-figures.tsx';
import { periodOf } from './desk-filter.ts';
import { DeskFilters } from './desk-filters.tsx';
import styles from './desk-page.module.css';
import { DeskTabs, INBOXES } from './desk-tabs.tsx';
import { Inbox } from './inbox.tsx';

const Ownership = lazy(() => import('../../components/ownership/ownership.tsx'));
const Webhooks = lazy(() => import('./webhooks/webhooks.tsx'));

/** Beside the inboxes. */
const VIEWS = ['webhooks', 'hosts'] as const;

const route = getRouteApi('/signed-in/desk/$service');

/** The inbox of an abuse desk: left the list, right the evidence. */
export function DeskPage() {
  const { service } = route.useParams();
  const owned = useMe().services.find(({ slug }) => slug === service);
  if (owned !== undefined) return <Desk key={service} service={service} name={owned.name} />;
  return (
    <Page title="Desk">
      <NoPermission
        need={`the ownership of the feed ${visible(service)}`}
        helper="An administrator can make you its owner. You can read the feed without it."
      />
    </Page>
  );
}

function Desk({ service, name }: { readonly service: string; readonly name: string }) {
  const search = route.useSearch();
  const actions = useDeskActions(service);
  const { data: statistics } = useStatistics(service);
  const status = INBOXES.find((one) => one === search.status) ?? 'open';
  const { view: _, age, report: __, status: ___, ...filters } = search;
  const [counts] = useStatusCounts([service]);
  const view = VIEWS.find((one) => one === search.view);
  return (
    <Page
      title={`Desk ${service}`}
      head={
        <div className={styles['title']}>
          <h1>Desk of {visible(name)}</h1>
          <Link to="/feeds/$service" params={{ service }}>
            Feed
          </Link>
          <DeskFigures statistics={statistics} />
        </div>
      }
    >
      <DeskTabs
        service={service}
        current={view ?? status}
        counts={counts}
        filter={{ ...filters, ...(age !== undefined && { age }) }}
      />
      {view === undefined && (
        <>
          <DeskFilters />
          <Inbox
            key={JSON.stringify([status, filters, age])}
            service={service}
            filter={{ ...filters, ...periodOf(age, new Date()), status }}
            actions={actions}
            counts={counts}
          />
        </>
      )}
      <Suspense fallback={<Skeleton lines={6} />}>
        {view === 'webhooks' && <Webhooks service={service} />}
        {view === 'hosts' && (
          <Section title="Hosts">
            <Ownership
              service={service}
              advice="An administrator declares the hosts of a service. Then you can prove them here."
            />
          </Section>
        )}
      </Suspense>
    </Page>
  );
}
