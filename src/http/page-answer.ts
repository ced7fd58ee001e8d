import type { FastifyReply } from 'fastify';
import { sendReady } from './ready.ts';
import { sendStreamed } from './streamed-answer.ts';

/** An answer whose one long list is read in parts. */
export interface PageAnswer {
  /** The member that holds the list. */
  readonly list: string;
  readonly parts: AsyncIterable<readonly unknown[]>;
  /** The members after the list. */
  readonly rest: Readonly<Record<string, unknown>>;
  /** Called once the first part was read: what fails before is answered as an error, without these. */
  readonly setHeaders?: () => void;
}

/** What is serialized and handed to the connection at a time: a turn in which many can be written to stays short. */
const PIECE_CHARACTERS = 32 * 1024;

/** A page of one part is sent whole, with its length. One of several parts is read as the client takes it. */
export async function sendPage(reply: FastifyReply, page: PageAnswer): Promise<FastifyReply> {
  const parts = page.parts[Symbol.asyncIterator]();
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  page.setHeaders?.();
  const beginning = `{${JSON.stringify(page.list)}:[`;
  const end = `],${JSON.stringify(page.rest).slice(1)}`;
  const read = [first, second].flatMap((one) => (one.done ? [] : [one.value]));
  if (second.done)
    return sendReady(reply, beginning + JSON.stringify(read.flat()).slice(1, -1) + end);
  const chunks = piecesOf(beginning, chain(read, parts), end);
  await sendStreamed(reply, 'application/json; charset=utf-8', chunks);
  return reply;
}

type Part = readonly unknown[];

/** The parts that were read already, and then the others. Ends the reading when nobody wants more. */
async function* chain(
  read: readonly Part[],
  others: AsyncIterator<Part>,
): AsyncGenerator<Part, void> {
  try {
    yield* read;
    for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
  } finally {
    await others.return?.();
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
      text += separator + JSON.stringify(item);
      separator = ',';
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
  yield text + end;
}
