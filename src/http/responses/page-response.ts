import type { FastifyReply } from 'fastify';
import { takeForParts } from '../gate/request-memory.ts';
import { sendSerialized, sendStream } from './send-response.ts';

/** The items of a part, each as JSON. */
type Part = readonly string[];

/** A response with one long list that is read in parts. */
export interface PageResponse {
  /** The name of the member that holds the list. */
  readonly list: string;
  readonly parts: AsyncGenerator<Part, void>;
  /** The members after the list. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Called after the first part was read. An error before that is sent without these headers. */
  readonly setHeaders?: () => void;
}

/** Small writes keep the event loop responsive while many responses are sent. */
const PIECE_CHARACTERS = 32 * 1024;

/** A part is in memory as rows of the store, as the JSON of its items, and as bytes. */
const COPIES = 3;

/**
 * Sends a page of one part with its length. A page of several parts is streamed as the client reads
 * it.
 */
export async function sendPage(reply: FastifyReply, page: PageResponse): Promise<FastifyReply> {
  const { parts } = page;
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  const beginning = `{${JSON.stringify(page.list)}:[`;
  const end = `],${JSON.stringify(page.members).slice(1)}`;
  const read = [first, second].flatMap((one) => (one.done ? [] : [one.value]));
  if (second.done) {
    page.setHeaders?.();
    return sendSerialized(reply, beginning + read.flat().join(',') + end);
  }
  const count = await takeOrEnd(reply, read.flat(), parts);
  page.setHeaders?.();
  const chunks = piecesOf(beginning, chain(read, parts, count), end);
  return await sendStream(reply, 'application/json; charset=utf-8', chunks);
}

/** Counts memory for the parts that were read. If there is none, ends the read and throws. */
async function takeOrEnd(
  reply: FastifyReply,
  read: Part,
  parts: AsyncGenerator<Part>,
): Promise<(part: Part) => void> {
  try {
    const count = takeForParts(reply, heldBytes(read));
    return (part) => count(heldBytes(part));
  } catch (refusal) {
    await parts.return(undefined);
    throw refusal;
  }
}

function heldBytes(part: Part): number {
  return COPIES * part.reduce((sum, item) => sum + item.length, 0);
}

/** The parts that were read already, then the others. Ends the read if the consumer stops early. */
async function* chain(
  read: Part[],
  others: AsyncGenerator<Part>,
  count: (part: Part) => void,
): AsyncGenerator<Part, void> {
  try {
    // Each part is released once it is sent.
    for (let next = read.shift(); next !== undefined; next = read.shift()) yield next;
    for await (const part of others) {
      count(part);
      yield part;
    }
  } finally {
    await others.return(undefined);
  }
}

async function* piecesOf(
  beginning: string,
  parts: AsyncIterable<Part>,
  end: string,
): AsyncGenerator<string> {
  let text = beginning;
  let separator = '';
  for await (const part of parts)
    for (const item of part) {
      text += separator + item;
      separator = ',';
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
  yield text + end;
}
