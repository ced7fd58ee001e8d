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

/** A page of one part is sent whole, with its length. One of several parts is read as the client takes it. */
export async function sendPage(reply: FastifyReply, page: PageAnswer): Promise<FastifyReply> {
  const parts = page.parts[Symbol.asyncIterator]();
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  page.setHeaders?.();
  const beginning = `{${JSON.stringify(page.list)}:[${itemsOf(first.done ? [] : first.value)}`;
  const end = `],${JSON.stringify(page.rest).slice(1)}`;
  if (second.done) return sendReady(reply, beginning + end);
  const begun = { beginning, isEmpty: first.done || first.value.length === 0, part: second.value };
  await sendStreamed(reply, 'application/json; charset=utf-8', textOf(begun, parts, end));
  return reply;
}

interface Begun {
  readonly beginning: string;
  readonly isEmpty: boolean;
  readonly part: readonly unknown[];
}

async function* textOf(
  { beginning, isEmpty, part }: Begun,
  others: AsyncIterator<readonly unknown[]>,
  end: string,
): AsyncGenerator<string> {
  yield beginning;
  let separator = isEmpty ? '' : ',';
  try {
    for (let next: readonly unknown[] | undefined = part; next !== undefined; ) {
      if (next.length > 0) {
        yield separator + itemsOf(next);
        separator = ',';
      }
      const result = await others.next();
      next = result.done ? undefined : result.value;
    }
  } finally {
    await others.return?.();
  }
  yield end;
}

function itemsOf(items: readonly unknown[]): string {
  return JSON.stringify(items).slice(1, -1);
}
