import { Link } from '@tanstack/react-router';
import type { FeedStatistics } from '../../../../src/client/wire.ts';
import { STATUS_SIGNS } from '../../components/marks/status.tsx';
import { formatNumber } from '../../text/format.ts';
import styles from './desk-tabs.module.css';
import type { DeskAction } from './pending-actions.ts';

/** The statuses that have an inbox. */
export const INBOXES = ['open', 'acknowledged', 'actioned', 'rejected'] as const;

/** Otherwise the link without parameters would be active in every view. */
const EXACT = { exact: true, includeSearch: true } as const;

interface Props {
  readonly service: string;
  readonly current: (typeof INBOXES)[number] | 'webhooks' | 'hosts';
  /** `undefined` until they are loaded. */
  readonly statistics: FeedStatistics | undefined;
  /** Actions that the server does not know of yet. */
  readonly waiting: readonly DeskAction[];
}

export function DeskTabs({ service, current, statistics, waiting }: Props) {
  return (
    <nav className={styles['tabs']} aria-label="Views of the desk">
      {INBOXES.map((status) => (
        <Link
          key={status}
          to="/desk/$service"
          params={{ service }}
          search={{ status: status === 'open' ? undefined : status }}
          className={styles['tab']}
          activeOptions={EXACT}
          aria-current={current === status ? 'page' : undefined}
        >
          <span aria-hidden>{STATUS_SIGNS[status]}</span> {status}
          <span className={styles['count']}>
            {statistics !== undefined &&
              formatNumber(Math.max(0, statistics.statuses[status] + changeOf(status, waiting)))}
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

/** What the pending actions add to a status, or take from it. */
function changeOf(status: string, waiting: readonly DeskAction[]): number {
  let change = 0;
  for (const { reports, body } of waiting) {
    if (body.status === status) change += reports.length;
    for (const report of reports) if (report.status === status) change -= 1;
  }
  return change;
}
