import { type DestinationStream, pino } from 'pino';

/** The members of a logged object that hold a token, also one level deeper. */
const SECRETS = ['api-key', 'authorization', 'auth-key', 'headers', 'token', 'x-api-key'];

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
        paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
        censor: '[secret]',
      },
    },
    destination,
  );
}

export type Log = ReturnType<typeof createLog>;
