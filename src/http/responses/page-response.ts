import type { FastifyReply } from 'fastify';
import { takeForParts } from '../gate/request-memory.ts';
import {
  acceptedEncoding,
  GZIP_BYTES,
  type StreamEncoding,
  varyByEncoding,
} from './compression.ts';
import { sendSerialized, sendStream } from './send-response.ts';

/** A response with one long list that is read in parts. */
export interface PageResponse {
  /** The name of the member that holds the list. */
  readonly list: string;
  /** The items of each part as JSON, joined with commas. */
  readonly parts: AsyncGenerator<string, void>;
  /** The members after the list. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Called after the first part was read. An error before that is sent without these headers. */
  readonly setHeaders?: () => void;
}

/** A part is in memory as rows of the store, as JSON, and as bytes. */
const COPIES = 3;
/** It needs a third of the memory of zstd: an account may request many pages at a time. */
const ENCODINGS = ['gzip'] as const;
/** A shorter page is not compressed: it fits into a few packets, and would wait for its turn. */
const MIN_COMPRESSED_LENGTH = 8 * 1024;

/**
 * Sends a page of one part with its length. A longer page is streamed as the client reads it. A
 * page that is not short is compressed if the client accepts it.
 */
export async function sendPage(reply: FastifyReply, page: PageResponse): Promise<FastifyReply> {
  const { parts } = page;
  const beginning = `{${JSON.stringify(page.list)}:[`;
  const end = `],${JSON.stringify(page.members).slice(1)}`;
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  const read = [first, second].flatMap((one) => (one.done ? [] : [one.value]));
  const encoding =
    lengthOf(read) < MIN_COMPRESSED_LENGTH ? undefined : acceptedEncoding(reply.request, ENCODINGS);
  varyByEncoding(reply);
  if (second.done && encoding === undefined) {
    page.setHeaders?.();
    return sendSerialized(reply, beginning, ...read, end);
  }
  const count = await takeOrEnd(reply, read, { parts, encoding });
  page.setHeaders?.();
  const chunks = chunksOf(beginning, chain(read, parts, count), end);
  return await sendStream(reply, 'application/json; charset=utf-8', chunks, encoding);
}

function lengthOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

interface RestOfPage {
  readonly parts: PageResponse['parts'];
  readonly encoding: StreamEncoding | undefined;
}

/** Counts memory for the parts that were read. If there is none, ends the read and throws. */
async function takeOrEnd(
  reply: FastifyReply,
  read: readonly string[],
  { parts, encoding }: RestOfPage,
): Promise<(part: string) => void> {
  const fixed = encoding === undefined ? 0 : GZIP_BYTES;
  try {
    const count = takeForParts(reply, fixed + COPIES * lengthOf(read));
    return (part) => count(fixed + COPIES * part.length);
  } catch (refusal) {
    await parts.return();
    throw refusal;
  }
}

/** The parts that were read already, then the others. Ends the read if the consumer stops early. */
async function* chain(
  read: string[],
  others: AsyncGenerator<string, void>,
  count: (part: string) => void,
): AsyncGenerator<string, void> {
  try {
    // Each part is released once it is sent.
    for (let next = read.shift(); next !== undefined; next = read.shift()) yield next;
    for await (const part of others) {
      count(part);
      yield part;
    }
  } finally {
    await others.return();
  }
}

async function* chunksOf(
  beginning: string,
  parts: AsyncIterable<string>,
  end: string,
): AsyncGenerator<string> {
  let before = beginning;
  for await (const part of parts) {
    // All reports of the part were deleted, or no longer match.
    if (part === '') continue;
    yield before + part;
    before = ',';
  }
  yield before === ',' ? end : before + end;
}
