/**
 * Reads the clock once per turn of the event loop: a request asks for the time several times, and
 * dozens of requests share a turn. Callers must not change the date.
 */
export function turnClock<Time extends Date | number>(now: () => Time): () => Time {
  let current: Time | undefined;
  const forget = () => {
    current = undefined;
  };
  return () => {
    if (current === undefined) {
      current = now();
      setImmediate(forget);
    }
    return current;
  };
}
