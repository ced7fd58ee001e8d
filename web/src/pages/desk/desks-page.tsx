import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { statisticsQuery } from '../../api/feed-statistics.ts';
import { type Me, useMe } from '../../api/session.ts';
import { useStatusCounts } from '../../api/status-counts.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { formatDuration, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './desks-page.module.css';

/** The desks of an account: one opens at once, several are listed. */
export function DesksPage() {
  const { services } = useMe();
  const [only, ...others] = services;
  if (only !== undefined && others.length === 0)
    return <Navigate to="/desk/$service" params={{ service: only.slug }} replace />;
  return (
    <Page title="Desk">
      {only === undefined ? (
        <Empty
          title="You have no desk"
          action={<LinkButton to="/feeds">Read the feeds</LinkButton>}
        >
          <p>
            The desk is where the owner of a service answers its reports. An administrator can make
            you the owner of one.
          </p>
        </Empty>
      ) : (
        <ul className={styles['desks']}>
          {services.map((service) => (
            <DeskCard key={service.slug} service={service} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function DeskCard({ service: { slug, name } }: { readonly service: Me['services'][number] }) {
  const { data } = useQuery(statisticsQuery(slug));
  const [counts] = useStatusCounts([slug]);
  const median = data?.timeToAct.medianSeconds ?? null;
  return (
    <li className={styles['desk']}>
      <h2>
        <Link to="/desk/$service" params={{ service: slug }}>
          {visible(name)}
        </Link>
      </h2>
      <p>
        {data === undefined || counts === undefined ? (
          <code>{slug}</code>
        ) : (
          <>
            <b>{formatNumber(counts.open)}</b> open · {formatNumber(counts.acknowledged)}{' '}
            acknowledged
            {median !== null && ` · median time to act ${formatDuration(median * 1000)}`}
          </>
        )}
      </p>
    </li>
  );
}
