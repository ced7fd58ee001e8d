import { Link } from '@tanstack/react-router';
import { STATUS_SIGNS } from '../../components/status.tsx';
import styles from './desk-page.module.css';

interface Props {
  readonly service: string;
  readonly view: string | undefined;
  readonly status: string | undefined;
}

const STATUSES = ['open', 'acknowledged', 'actioned', 'rejected'] as const;

export function DeskTabs({ service, view, status = 'open' }: Props) {
  return (
    <nav className={styles['tabs']} aria-label="Views of the desk">
      {STATUSES.map((one) => (
        <Link
          key={one}
          to="/desk/$service"
          params={{ service }}
          search={{ status: one === 'open' ? undefined : one }}
          className={styles['tab']}
          aria-current={view === undefined && status === one ? 'page' : undefined}
        >
          <span aria-hidden>{STATUS_SIGNS[one]}</span> {one}
        </Link>
      ))}
      <Link
        to="/desk/$service"
        params={{ service }}
        search={{ view: 'webhooks' }}
        className={styles['tab']}
        aria-current={view === 'webhooks' ? 'page' : undefined}
      >
        Webhooks
      </Link>
    </nav>
  );
}
