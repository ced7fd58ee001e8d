export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `HH:MM:SS.fffffff`, the format of the analysis time in an analysis report. */
export function formatDuration(ms: number): string {
  const ticks = Math.max(0, Math.round(ms * 10_000));
  const whole = Math.floor(ticks / 10_000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = (ticks % (MINUTE_MS * 10_000)) / 10_000_000;
  const [, fraction = ''] = seconds.toFixed(7).split('.');
  return `${two(whole / HOUR_MS)}:${two((whole % HOUR_MS) / MINUTE_MS)}:${two(seconds)}.${fraction}`;
}
