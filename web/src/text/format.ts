const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly (readonly [unit: string, length: number, below: number])[] = [
  ['s', SECOND, 90 * SECOND],
  ['min', MINUTE, 90 * MINUTE],
  ['h', HOUR, 36 * HOUR],
  ['d', DAY, 60 * DAY],
  ['months', 30.44 * DAY, 730 * DAY],
  ['years', 365.25 * DAY, Number.POSITIVE_INFINITY],
];

/** A length of time in one unit: `3 h`, `12 d`. */
export function formatDuration(ms: number): string {
  for (const [unit, length, below] of UNITS)
    if (ms < below) return `${Math.max(0, Math.round(ms / length))} ${unit}`;
  return '';
}

/** `3 h ago`, `in 2 d`, `now`. */
export function formatAge(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (Math.abs(ms) < 5 * SECOND) return 'now';
  return ms > 0 ? `${formatDuration(ms)} ago` : `in ${formatDuration(-ms)}`;
}

/** The API has `YYYY-MM-DD HH:MM:SS` in reports and ISO 8601 elsewhere, both in UTC. */
export function parseTime(text: string): Date {
  return new Date(/[zZ]$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
}

/** The full time, as tooltips and details show it: `2026-11-16 07:30:00 UTC`. */
export function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

const NUMBERS = new Intl.NumberFormat('en');

export function formatNumber(value: number): string {
  return NUMBERS.format(value);
}

/** `1 report`, `2 reports`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}
