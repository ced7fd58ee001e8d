import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { serviceQuery } from '../../api/services.ts';
import { useMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import { useDeskActions } from './desk-actions.ts';
import { DeskFigures } from './desk-figures.tsx';
import styles from './desk-page.module.css';
import { DeskTabs, INBOXES } from './desk-tabs.tsx';
import { Inbox } from './inbox.tsx';
import { Webhooks } from './webhooks/webhooks.tsx';

const route = getRouteApi('/signed-in/desk/$service');

/** The inbox of an abuse desk: left the list, right the evidence. */
export function DeskPage() {
  const { service } = route.useParams();
  const isOwner = useMe().services.some(({ slug }) => slug === service);
  if (isOwner) return <Desk key={service} service={service} />;
  return (
    <Page title="Desk">
      <NoPermission
        need={`the ownership of the feed ${visible(service)}`}
        helper="An administrator can make you its owner. You can read the feed without it."
      />
    </Page>
  );
}

function Desk({ service }: { readonly service: string }) {
  const search = route.useSearch();
  const { data } = useQuery(serviceQuery(service));
  const actions = useDeskActions(service);
  const status = INBOXES.find((one) => one === search.status) ?? 'open';
  const isInbox = search.view !== 'webhooks';
  return (
    <Page
      title={`Desk ${service}`}
      head={
        <div className={styles['title']}>
          <h1>Desk of {data === undefined ? service : visible(data.name)}</h1>
          <Link to="/feeds/$service" params={{ service }}>
            Feed
          </Link>
          <DeskFigures service={service} />
        </div>
      }
    >
      <DeskTabs
        service={service}
        current={isInbox ? status : 'webhooks'}
        waiting={actions.waiting}
      />
      {isInbox ? (
        <Inbox key={status} service={service} status={status} actions={actions} />
      ) : (
        <Webhooks service={service} />
      )}
    </Page>
  );
}
