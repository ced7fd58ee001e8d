import type { Change } from '../../domain/change.ts';
import { presentChange, presentChangeOfAll } from '../present.ts';

/**
 * Server-sent events (WHATWG HTML, section 9.2): fields a line each, an empty line ends an event. What begins with
 * a colon is a comment.
 */

/** How long a client waits before it comes back, and so how long a restart may go unnoticed. */
const RETRY_MS = 3000;

export const PING = Buffer.from(': ping\n\n');

/** An id alone is no event, but a client that is cut off before the first one resumes from it. */
export function openingFrame(id: string): Buffer {
  return Buffer.from(`retry: ${RETRY_MS}\nid: ${id}\n\n`);
}

export function changeFrame(change: Change, id: string, isOfAll: boolean): string {
  const data = JSON.stringify(isOfAll ? presentChangeOfAll(change) : presentChange(change));
  return `event: ${change.type}\nid: ${id}\ndata: ${data}\n\n`;
}

/** `dropped`: changes in between are no longer kept. `unknown`: the position is none of this feed. */
export type ResetReason = 'dropped' | 'unknown';

/** The client must list anew; what follows this goes on from its id. */
export function resetFrame(reason: ResetReason, id: string, isOfAll: boolean): Buffer {
  const next = isOfAll ? id : Number(id);
  return Buffer.from(`event: reset\nid: ${id}\ndata: ${JSON.stringify({ reason, next })}\n\n`);
}

export function closingFrame(why: string): Buffer {
  return Buffer.from(`: ${why}\n\n`);
}
