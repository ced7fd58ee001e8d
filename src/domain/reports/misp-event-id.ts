import { uuidV5 } from '../uuid.ts';

/** The UUID of the MISP event with the reports of a feed on a UTC day (`2026-01-31`). */
export function mispEventId(namespace: string, service: string, day: string): string {
  return uuidV5(namespace, `misp:event:${service}:${day}`);
}
