import { useEffect, useEffectEvent } from 'react';
import { isTyping } from './is-typing.ts';

/** Runs the function of a key, unless it is typed into something. */
export function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const run = useEffectEvent((key: string) => keys[key]?.());
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      run(event.key);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
