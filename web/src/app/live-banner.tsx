import { WifiOff } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { retryLive, startLive, stopLive, useLiveState } from '../api/live/live.ts';
import { Button } from '../components/button.tsx';
import { Time } from '../components/marks/time.tsx';
import styles from './live-banner.module.css';

/** A server that restarts is usually back before this time has passed. */
const SHOWN_AFTER_MS = 1500;

interface Props {
  /** Called when the server has ended the session. */
  readonly onSignedOut: () => void;
}

/** Starts the stream, and says while the connection is lost that the page is out of date. */
export function LiveBanner({ onSignedOut }: Props) {
  const state = useLiveState();
  const signOut = useEffectEvent(onSignedOut);
  const isSignedOut = state.kind === 'signed-out';
  useEffect(() => {
    startLive();
    // After a sign-out, the server would refuse the next connection.
    return stopLive;
  }, []);
  useEffect(() => {
    if (isSignedOut) signOut();
  }, [isSignedOut]);
  const lostAt = state.kind === 'lost' ? state.since : undefined;
  const isLate = useLate(lostAt);
  return (
    <div role="status">
      {lostAt !== undefined && isLate && (
        <div className={styles['banner']}>
          <WifiOff aria-hidden />
          <span>
            No connection to the server since <Time at={new Date(lostAt).toISOString()} isFull />.
            What is shown is from then.
          </span>
          <Button size="small" onClick={retryLive}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

function useLate(lostAt: number | undefined): boolean {
  const [lateAt, setLateAt] = useState<number>();
  useEffect(() => {
    if (lostAt === undefined) return;
    const timer = setTimeout(() => setLateAt(lostAt), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [lostAt]);
  return lostAt !== undefined && lateAt === lostAt;
}
