/** What is left of the rate of an account before a batch, and how fast it returns. */
export interface Pace {
  readonly remaining: number;
  readonly perMinute: number;
}

/** Lines a second, once the burst is used; with three digits after the point. */
export function ratePerSecond({ perMinute }: Pick<Pace, 'perMinute'>): number {
  return Math.round((1000 * perMinute) / 60) / 1000;
}

/** The seconds for which a batch is slowed down: as long as the lines beyond the burst take. */
export function secondsOfBatch(lines: number, { remaining, perMinute }: Pace): number {
  return Math.ceil((60 * Math.max(0, lines - remaining)) / perMinute);
}

/** The part of a body that was read. */
export interface ReadPart {
  readonly bytes: number;
  readonly lines: number;
}

/**
 * The lines of a body by those of its beginning, if the rest is alike. `undefined` if the length of
 * the body is unknown, or no line was complete.
 */
export function estimateLines(
  length: number | undefined,
  { bytes, lines }: ReadPart,
): number | undefined {
  if (length === undefined || lines === 0) return undefined;
  return Math.max(lines, Math.round((length / bytes) * lines));
}
