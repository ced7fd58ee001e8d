import { readChunks } from './chunks.ts';
import { RapsheetError } from './error.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { isWorthRepeating } from './retry.ts';
import type { Change } from './wire.ts';

export interface FollowOptions {
  /** The id of the last event that was received before: it goes on after that. */
  readonly lastEventId?: string | undefined;
  /** Where to begin otherwise: a position, or 0 for everything there is; with what comes by default. */
  readonly since?: string | number | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** A change of a feed; over all feeds it says of which. */
export interface FollowedChange extends Change {
  readonly service?: string | undefined;
}

export type FeedEvent =
  | { readonly kind: 'change'; readonly id: string; readonly change: FollowedChange }
  /** Changes in between are no longer kept: list anew. What follows goes on from this id. */
  | { readonly kind: 'reset'; readonly id: string };

/** What following stands on. */
export interface Connection {
  /** Opens the stream after that id; without one, where the options say. */
  open(lastEventId: string | undefined): Promise<ReadableStream<Uint8Array>>;
  sleep(ms: number): Promise<void>;
}

const FIRST_RETRY_MS = 3000;
/** Three pings of the server that did not come. */
const SILENT_MS = 45_000;

/**
 * The events of a stream, over as many connections as it takes: each goes on after the last event of the one before.
 * Throws where the server cannot be reached at first, and later only what coming back does not mend.
 */
export async function* follow(
  connection: Connection,
  { lastEventId, signal }: Pick<FollowOptions, 'lastEventId' | 'signal'>,
): AsyncGenerator<FeedEvent, void> {
  let lastId = lastEventId;
  let retryMs = FIRST_RETRY_MS;
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    if (!isFirst) await pause(connection.sleep(retryMs), signal);
    const body = await reach(connection, lastId, isFirst, signal);
    if (body === undefined) continue;
    for await (const event of untilBroken(readEvents(readChunks(body, SILENT_MS)))) {
      if (event.id !== '') lastId = event.id;
      retryMs = event.retryMs ?? retryMs;
      if (event.data !== undefined) yield toFeedEvent(event, event.data);
    }
  }
}

/** `undefined` where it cannot be reached at the moment, or nobody wants it any more. */
async function reach(
  { open }: Connection,
  lastId: string | undefined,
  isFirst: boolean,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array> | undefined> {
  if (signal?.aborted) return undefined;
  try {
    return await open(lastId);
  } catch (cause) {
    if (signal?.aborted || (!isFirst && isPassing(cause))) return undefined;
    throw cause;
  }
}

function isPassing(cause: unknown): boolean {
  return cause instanceof RapsheetError && isWorthRepeating(cause, 'always');
}

/** That a connection breaks is no more than its end. */
async function* untilBroken(
  events: AsyncGenerator<ServerEvent, void>,
): AsyncGenerator<ServerEvent> {
  try {
    for (;;) {
      const next = await events.next().catch(() => undefined);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    await events.return().catch(() => undefined);
  }
}

function toFeedEvent({ id, event }: ServerEvent, data: string): FeedEvent {
  if (event === 'reset') return { kind: 'reset', id };
  return { kind: 'change', id, change: JSON.parse(data) as FollowedChange };
}

async function pause(time: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  signal?.addEventListener('abort', stop);
  await Promise.race([time, promise]);
  signal?.removeEventListener('abort', stop);
}
