import { uuidV5 } from '../uuid.ts';

/** The part of a UTC day (`2026-01-31`) that is in an event; the first is 1. */
export interface EventPart {
  readonly day: string;
  readonly part: number;
}

/** The UUID of the MISP event with a part of the reports of a feed on a day. */
export function mispEventId(namespace: string, service: string, { day, part }: EventPart): string {
  const first = `misp:event:${service}:${day}`;
  return uuidV5(namespace, part === 1 ? first : `${first}:${part}`);
}
