import { Link } from '@tanstack/react-router';
import type { StatusCounts } from '../../api/status-counts.ts';
import { STATUS_SIGNS } from '../../components/marks/status.tsx';
import { formatNumber } from '../../text/format.ts';
import type { FeedFilter } from '../feed/filters.ts';
import styles from './desk-tabs.module.css';

/** The statuses that have an inbox. */
export const INBOXES = ['open', 'acknowledged', 'actioned', 'rejected'] as const;

/** Otherwise the link without parameters would be active in every view. */
const EXACT = { exact: true, includeSearch: true } as const;

interface Props {
  readonly service: string;
  readonly current: (typeof INBOXES)[number] | 'webhooks' | 'hosts';
  /** `undefined` until they are loaded. */
  readonly counts: StatusCounts | undefined;
  /** The filters in force: they stay when another status is shown. */
  readonly filter: FeedFilter;
}

export function DeskTabs({ service, current, counts, filter }: Props) {
  return (
    <nav className={styles['tabs']} aria-label="Views of the desk">
      {INBOXES.map((status) => (
        <Link
          key={status}
          to="/desk/$service"
          params={{ service }}
          search={{ ...filter, status: status === 'open' ? undefined : status }}
          className={styles['tab']}
          activeOptions={EXACT}
          aria-current={current === status ? 'page' : undefined}
        >
          <span aria-hidden>{STATUS_SIGNS[status]}</span> {status}
          <span className={styles['count']}>
            {counts !== undefined && formatNumber(counts[status])}
          </span>
        </Link>
      ))}
      <Link
        to="/desk/$service"
        params={{ service }}
        search={{ view: 'webhooks' }}
        className={styles['tab']}
        activeOptions={EXACT}
        aria-current={current === 'webhooks' ? 'page' : undefined}
      >
        webhooks, mail
      </Link>
      <Link
        to="/desk/$service"
        params={{ service }}
        search={{ view: 'hosts' }}
        className={styles['tab']}
        activeOptions={EXACT}
        aria-current={current === 'hosts' ? 'page' : undefined}
      >
        hosts
      </Link>
    </nav>
  );
}
