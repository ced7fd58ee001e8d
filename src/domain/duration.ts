const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;

/** `HH:MM:SS.fffffff`, as reports give the time that their analysis took. */
export function formatDuration(ms: number): string {
  const ticks = Math.max(0, Math.round(ms * 10_000));
  const whole = Math.floor(ticks / 10_000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = (ticks % (MS_PER_MINUTE * 10_000)) / 10_000_000;
  const [, fraction = ''] = seconds.toFixed(7).split('.');
  return `${two(whole / MS_PER_HOUR)}:${two((whole % MS_PER_HOUR) / MS_PER_MINUTE)}:${two(seconds)}.${fraction}`;
}
