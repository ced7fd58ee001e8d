import { WifiOff } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { retryLive, startLive, stopLive, useLiveState } from '../api/live/live.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../components/button.tsx';
import { Time } from '../components/marks/time.tsx';
import styles from './live-banner.module.css';

/** A server that restarts is usually back before this time has passed. */
const SHOWN_AFTER_MS = 1500;

interface Props {
  /** The position in all feeds when the session was read, before all that the page shows. */
  readonly position: string | undefined;
  /** Called when the server has ended the session. */
  readonly onSignedOut: () => void;
}

/** Starts the stream, and says while the connection is lost that the page is out of date. */
export function LiveBanner({ position, onSignedOut }: Props) {
  const state = useLiveState();
  const signOut = useEffectEvent(onSignedOut);
  const start = useEffectEvent(() => startLive(position));
  const isSignedOut = state.kind === 'signed-out';
  useEffect(() => {
    start();
    // After a sign-out, the server would refuse the next connection.
    return stopLive;
  }, []);
  useEffect(() => {
    if (isSignedOut) signOut();
  }, [isSignedOut]);
  const offlineSince = useOffline();
  const lostAt = offlineSince ?? (state.kind === 'lost' ? state.since : undefined);
  const isLate = useLate(lostAt) || offlineSince !== undefined;
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

/**
 * Since when the browser has no network. The stream notices it much later, when it times out. With
 * the network back, it reconnects, and what failed meanwhile is fetched again, unless it costs.
 */
function useOffline(): number | undefined {
  const [since, setSince] = useState(() => (navigator.onLine ? undefined : Date.now()));
  useEffect(() => {
    const leave = () => setSince(Date.now());
    const comeBack = () => {
      setSince(undefined);
      retryLive();
      void queryClient.refetchQueries({
        type: 'active',
        predicate: ({ queryKey, state }) => state.status === 'error' && queryKey[0] !== 'file',
      });
    };
    addEventListener('offline', leave);
    addEventListener('online', comeBack);
    return () => {
      removeEventListener('offline', leave);
      removeEventListener('online', comeBack);
    };
  }, []);
  return since;
}
