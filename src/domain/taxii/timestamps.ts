/** A point in time that a client sent. */
export interface AddedAfter {
  /** Milliseconds since 1970, rounded down: `date_added` has whole milliseconds. */
  readonly ms: number;
  /** The same with six digits, to be returned in a header. */
  readonly text: string;
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+ ]00:00)?$/;

/**
 * Accepts up to nine digits of a second, and UTC as `Z` or `+00:00`, whose plus sign is a space in
 * a query that was not encoded. A time without a zone is UTC if `isLenient`, else invalid.
 */
export function parseAddedAfter(text: string, isLenient = false): AddedAfter | undefined {
  const [, seconds, fraction = '', zone] = TIMESTAMP.exec(text) ?? [];
  if (seconds === undefined || (zone === undefined && !isLenient)) return undefined;
  const whole = Date.parse(`${seconds}Z`);
  // Other spellings of a day, like February 30, are not accepted.
  if (Number.isNaN(whole) || !new Date(whole).toISOString().startsWith(seconds)) return undefined;
  const digits = fraction.padEnd(6, '0').slice(0, 6);
  return { ms: whole + Number(digits.slice(0, 3)), text: `${seconds}.${digits}Z` };
}

/** With six digits, as TAXII requires it of its headers. */
export function formatDateAdded(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** The last moment before that time, in the same form. */
export function formatBefore(ms: number): string {
  return new Date(ms - 1).toISOString().replace('Z', '999Z');
}
