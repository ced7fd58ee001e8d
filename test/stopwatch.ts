/**
 * How long this process computes from now on, in milliseconds: for what must not take long,
 * whatever else the machine has to do meanwhile. Bounds are many times what it takes, so that a
 * slow machine stays below and what is not linear does not.
 */
export function startStopwatch(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
