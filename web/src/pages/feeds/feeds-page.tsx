import { useQuery } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Service } from '../../../../src/client/wire.ts';
import { servicesQuery } from '../../api/services.ts';
import { isAdmin, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { addedServices } from '../../text/unclaimed.ts';
import { visible } from '../../text/visible.ts';
import { FeedCard } from './feed-card.tsx';
import styles from './feeds-page.module.css';

const UseFeed = lazy(() => import('../feed/use/use-feed.tsx'));

/** A list this short is read faster than searched. */
const SEARCHED_FROM = 6;

/** Every feed that the account may read. */
export function FeedsPage() {
  const { data, error, refetch } = useQuery(servicesQuery);
  const [text, setText] = useState('');
  const [isUsing, setUsing] = useState(false);
  const found = (data ?? []).filter((service) => isFound(service, text));
  return (
    <Page
      title="Feeds"
      actions={
        <>
          {data !== undefined && data.length >= SEARCHED_FROM && (
            <input
              type="search"
              className={styles['search']}
              aria-label="Search the feeds"
              placeholder="Name, host or network"
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setText(target.value)}
            />
          )}
          {data !== undefined && data.length > 0 && (
            <Button aria-expanded={isUsing} onClick={() => setUsing(!isUsing)}>
              <Plug aria-hidden /> Use all feeds
            </Button>
          )}
        </>
      }
    >
      {isUsing && (
        <Suspense fallback={<Skeleton lines={4} />}>
          <UseFeed service="all" filter={{}} onClose={() => setUsing(false)} />
        </Suspense>
      )}
      {error !== null && data === undefined && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && <Skeleton lines={6} label="Loading feeds" />}
      {data !== undefined && addedServices(data).length === 0 && <NoFeeds />}
      {data !== undefined && data.length > 0 && found.length === 0 && (
        <Empty title="No feed matches">
          <p>No service has “{visible(text)}” in its name, its hosts or its networks.</p>
        </Empty>
      )}
      <ul className={styles['list']}>
        {found.map((service) => (
          <FeedCard key={service.slug} service={service} />
        ))}
      </ul>
    </Page>
  );
}

function NoFeeds() {
  const me = useMe();
  return (
    <Empty
      title="No service has a feed yet"
      action={
        isAdmin(me) && (
          <LinkButton look="primary" to="/admin" search={{ section: 'services' }}>
            Add a service
          </LinkButton>
        )
      }
    >
      <p>
        A service is a tunnel or hosting provider whose addresses malware abuses. Reports of its
        addresses make up its feed.{!isAdmin(me) && ' An administrator can add one.'}
      </p>
    </Empty>
  );
}

function isFound({ slug, name, hosts, networks }: Service, text: string): boolean {
  const wanted = text.trim().toLowerCase().replaceAll('[.]', '.');
  return [slug, name, ...hosts, ...networks].some((one) => one.toLowerCase().includes(wanted));
}
