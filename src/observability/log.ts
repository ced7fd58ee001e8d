import { type DestinationStream, pino } from 'pino';

/**
 * One JSON line an event, on standard error: standard output is for results. Requests are never logged
 * with their headers, and what might hold a token is taken out should it ever get in.
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
