import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { servicesQuery } from '../../api/services.ts';
import { isAdmin, useMe } from '../../api/session.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import styles from './feeds-page.module.css';

const SHOWN_PATTERNS = 6;

/** Every feed that the account may read. */
export function FeedsPage() {
  const me = useMe();
  const { data, error, refetch } = useQuery(servicesQuery);
  return (
    <Page title="Feeds">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={6} label="Loading feeds" />}
      {data?.length === 0 && (
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
          <p>A service is a tunnel or hosting provider whose addresses malware abuses.</p>
        </Empty>
      )}
      <ul className={styles['list']}>
        {(data ?? []).map(({ slug, name, hosts, networks }) => (
          <li key={slug} className={styles['feed']}>
            <h2>
              <Link to="/feeds/$service" params={{ service: slug }}>
                {visible(name)}
              </Link>
            </h2>
            <code>{slug}</code>
            <p className={styles['patterns']}>{patternsOf([...hosts, ...networks])}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function patternsOf(patterns: readonly string[]): string {
  if (patterns.length === 0) return 'No hosts or networks are declared.';
  const more = patterns.length - SHOWN_PATTERNS;
  const shown = patterns.slice(0, SHOWN_PATTERNS).map(defang).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
