import { type DestinationStream, pino } from 'pino';

/**
 * Writes one JSON line per event to standard error; standard output is for results. Requests are
 * logged without headers, and fields that could hold a token are redacted as a second guard.
 */
export function createLog(level: string, destination: DestinationStream = pino.destination(2)) {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['*.authorization', '*.headers', '*.token', 'token', 'authorization', 'headers'],
        censor: '[secret]',
      },
    },
    destination,
  );
}

export type Log = ReturnType<typeof createLog>;
