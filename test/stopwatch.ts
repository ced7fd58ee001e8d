/**
 * Returns a function that reports the CPU time of this process since the start, in milliseconds.
 * CPU time does not depend on the load of the machine. Bounds in tests are many times the usual
 * time, so that only a superlinear algorithm exceeds them.
 */
export function startStopwatch(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
