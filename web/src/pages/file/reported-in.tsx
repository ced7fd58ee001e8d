import { Link } from '@tanstack/react-router';
import { REASONS, STATUS_SIGNS } from '../../components/marks/status.tsx';
import { Time } from '../../components/marks/time.tsx';
import { formatUtc, parseTime } from '../../text/format.ts';
import styles from './overview.module.css';
import type { ReportedState } from './reported-states.ts';

const SHOWN = 2;

/** `open in ply since 2026-11-03`, `taken down in cask 3 d ago`; each leads to its report. */
export function ReportedIn({ states }: { readonly states: readonly ReportedState[] }) {
  return (
    <>
      {states.slice(0, SHOWN).map((state) => (
        <span key={state.service} className={styles['reportedIn']}>
          <span aria-hidden>{STATUS_SIGNS[state.status]}</span>{' '}
          <Link to="/feeds/$service/reports/$id" params={{ service: state.service, id: state.id }}>
            {wordsOf(state)} in {state.service}
          </Link>{' '}
          <Since state={state} />
        </span>
      ))}
      {states.length > SHOWN && ` and ${states.length - SHOWN} more`}
    </>
  );
}

function wordsOf({ status, reason }: ReportedState): string {
  if (status === 'actioned' && reason !== null) return REASONS[reason] ?? reason;
  return status;
}

function Since({ state: { status, at } }: { readonly state: ReportedState }) {
  if (status !== 'open' && status !== 'acknowledged') return <Time at={at} />;
  const time = parseTime(at);
  return (
    <>
      since{' '}
      <time dateTime={time.toISOString()} title={formatUtc(time)}>
        {time.toISOString().slice(0, 10)}
      </time>
    </>
  );
}
