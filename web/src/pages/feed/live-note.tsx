import { useLiveState } from '../../api/live/live.ts';
import { Time } from '../../components/time.tsx';
import styles from './feed-page.module.css';

/** Says that what is shown is old, and since when. */
export function LiveNote() {
  const state = useLiveState();
  if (state.kind !== 'lost') return null;
  return (
    <p role="status" className={styles['lost']}>
      The connection to the server was lost <Time at={new Date(state.since).toISOString()} />. New
      reports and changes appear when it is back.
    </p>
  );
}
