import { readChunks } from './chunks.ts';
import { RapsheetError } from './error.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { isRetryable } from './retry.ts';
import type { Change } from './wire.ts';

export interface FollowOptions {
  /** The id of the last event received: the stream resumes after it. */
  readonly lastEventId?: string | undefined;
  /**
   * Where to start without `lastEventId`: a position, 0 for the whole feed; new changes by default.
   */
  readonly since?: string | number | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the connection is open, and when it is lost and will be opened again. */
  readonly onConnection?: ((isOpen: boolean) => void) | undefined;
}

/** A change of a feed. `service` is set when following all feeds. */
export interface FollowedChange extends Change {
  readonly service?: string | undefined;
}

export type FeedEvent =
  | { readonly kind: 'change'; readonly id: string; readonly change: FollowedChange }
  /**
   * The server no longer has the changes up to this id: list the feed again. Later events follow.
   */
  | { readonly kind: 'reset'; readonly id: string };

export interface Connection {
  /** Opens the stream after that event; without an id, at the start given by the options. */
  open(lastEventId: string | undefined): Promise<ReadableStream<Uint8Array>>;
  sleep(ms: number): Promise<void>;
}

const FIRST_RETRY_MS = 3000;
/** Three missed pings of the server. */
const SILENT_MS = 45_000;

/**
 * Yields the events of a stream. A broken connection is reopened after the last event. Throws if
 * the first connection fails; later only on errors that a retry cannot solve, such as a revoked
 * token.
 */
export async function* follow(
  connection: Connection,
  { lastEventId, signal, onConnection }: Omit<FollowOptions, 'since'>,
): AsyncGenerator<FeedEvent, void> {
  let lastId = lastEventId;
  let retryMs = FIRST_RETRY_MS;
  for (let isFirst = true; !signal?.aborted; isFirst = false) {
    if (!isFirst) await pause(connection.sleep(retryMs), signal);
    const body = await connect(connection, lastId, isFirst, signal);
    if (body === undefined) continue;
    onConnection?.(true);
    for await (const event of readUntilBroken(readEvents(readChunks(body, SILENT_MS)))) {
      if (event.id !== '') lastId = event.id;
      retryMs = event.retryMs ?? retryMs;
      if (event.data !== undefined) yield toFeedEvent(event, event.data);
    }
    onConnection?.(false);
  }
}

/** `undefined` if a retry may succeed, or if the signal is aborted. */
async function connect(
  { open }: Connection,
  lastId: string | undefined,
  isFirst: boolean,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array> | undefined> {
  if (signal?.aborted) return undefined;
  try {
    return await open(lastId);
  } catch (cause) {
    if (signal?.aborted || (!isFirst && isTransient(cause))) return undefined;
    throw cause;
  }
}

function isTransient(cause: unknown): boolean {
  return cause instanceof RapsheetError && isRetryable(cause, 'always');
}

/** Treats a broken connection as the end of the stream. */
async function* readUntilBroken(
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
