import type { FeedChange } from '../../domain/reports/change.ts';
import {
  type Reader,
  serializeChange,
  serializeChangeOfAll,
} from '../responses/serialize-report.ts';

/**
 * Server-sent events (WHATWG HTML, section 9.2): one field per line, an empty line ends the event,
 * and a line with a leading colon is a comment.
 */

/** How long a client waits before it reconnects. */
const RETRY_MS = 3000;

/** A line without an empty one after it: some clients return a block of comments as an event. */
export const PING = Buffer.from(': ping\n');

/**
 * The first block is a comment. An id alone is not an event, but a client that is disconnected
 * before the first event resumes from it.
 */
export function openingFrame(id: string): Buffer {
  return Buffer.from(`: connected\n\nretry: ${RETRY_MS}\nid: ${id}\n\n`);
}

export interface FrameOptions {
  readonly id: string;
  readonly isOfAll: boolean;
  /** Without a viewer for the shared form. */
  readonly reader: Reader;
}

export function changeFrame(change: FeedChange, { id, isOfAll, reader }: FrameOptions): string {
  const serialize = isOfAll ? serializeChangeOfAll : serializeChange;
  const data = serialize(change, reader);
  return `event: ${change.type}\nid: ${id}\ndata: ${data}\n\n`;
}

/**
 * `dropped`: the changes in between have been deleted. `unknown`: the position is not one of this
 * feed.
 */
export type ResetReason = 'dropped' | 'unknown';

/** The client must list the feed again and then resume from this id. */
export function resetFrame(reason: ResetReason, id: string, isOfAll: boolean): Buffer {
  const next = isOfAll ? id : Number(id);
  return Buffer.from(`event: reset\nid: ${id}\ndata: ${JSON.stringify({ reason, next })}\n\n`);
}

export function closingFrame(reason: string): Buffer {
  return Buffer.from(`: ${reason}\n\n`);
}
