import type { Caller } from '../../domain/accounts/caller.ts';
import type { Change } from '../../domain/reports/change.ts';
import { presentChange, presentChangeOfAll } from '../responses/present.ts';

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

export interface FrameOptions {
  readonly id: string;
  readonly isOfAll: boolean;
  /** For whom it is written; without one it is for anybody. */
  readonly viewer?: Caller | undefined;
}

export function changeFrame(change: Change, { id, isOfAll, viewer }: FrameOptions): string {
  const present = isOfAll ? presentChangeOfAll : presentChange;
  const data = JSON.stringify(present(change, viewer));
  return `event: ${change.type}\nid: ${id}\ndata: ${data}\n\n`;
}

/** `dropped`: changes in between are no longer kept. `unknown`: the position is none of this feed. */
export type ResetReason = 'dropped' | 'unknown';

/** The client must list anew; what follows this goes on from its id. */
export function resetFrame(reason: ResetReason, id: string, isOfAll: boolean): Buffer {
  const next = isOfAll ? id : Number(id);
  return Buffer.from(`event: reset\nid: ${id}\ndata: ${JSON.stringify({ reason, next })}\n\n`);
}

export function closingFrame(reason: string): Buffer {
  return Buffer.from(`: ${reason}\n\n`);
}
