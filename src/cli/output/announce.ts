import { createLog } from '../../observability/log.ts';

/** Standard error of a process that runs on: read by a person, or as a log. */
export function isReadByPerson(): boolean {
  return process.stderr.isTTY === true;
}

/**
 * Writes one line to the log, at any `RAPSHEET_LOG_LEVEL`: the start of a process that runs on is
 * always recorded.
 */
export function announce(fields: object, message: string): void {
  createLog('info').info(fields, message);
}
