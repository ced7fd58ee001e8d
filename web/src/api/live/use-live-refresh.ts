import { useEffect, useEffectEvent, useRef } from 'react';
import { useLive } from './live.ts';
import type { LiveEvent } from './messages.ts';

/**
 * Reads again what a change may have changed, at most once in `waitMs`: a busy feed has many
 * changes a second.
 */
export function useLiveRefresh(
  isAffected: (event: LiveEvent) => boolean,
  refresh: () => void,
  waitMs: number,
): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const run = useEffectEvent(() => {
    timer.current = undefined;
    refresh();
  });
  useLive((event) => {
    if (isAffected(event)) timer.current ??= setTimeout(() => run(), waitMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}
