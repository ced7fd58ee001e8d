import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { NoPermission } from '../../components/states.tsx';
import { DeskTabs } from './desk-tabs.tsx';
import { Inbox } from './inbox.tsx';
import { Webhooks } from './webhooks.tsx';

const route = getRouteApi('/signed-in/desk/$service');

/** The inbox of an abuse desk: left the list, right the evidence. */
export function DeskPage() {
  const { service } = route.useParams();
  const { view, status } = route.useSearch();
  const isOwner = useMe().services.some(({ slug }) => slug === service);
  if (!isOwner)
    return (
      <Page title="Desk">
        <NoPermission
          need={`the ownership of the feed ${service}`}
          helper="An administrator can make you its owner."
        />
      </Page>
    );
  return (
    <Page
      title={`Desk ${service}`}
      actions={<DeskTabs service={service} view={view} status={status} />}
    >
      {view === 'webhooks' ? (
        <Webhooks service={service} />
      ) : (
        <Inbox key={`${service} ${status}`} service={service} status={status ?? 'open'} />
      )}
    </Page>
  );
}
