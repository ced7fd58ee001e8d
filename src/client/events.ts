/**
 * One block of a server-sent event stream (WHATWG HTML, section 9.2). A block without data is no
 * event, but may set the id.
 */
export interface ServerEvent {
  /** The last id of the stream so far; empty if there was none. */
  readonly id: string;
  readonly event: string;
  readonly data: string | undefined;
  /** The delay before a reconnect, if the block sets it. */
  readonly retryMs: number | undefined;
}

/** Parses the blocks of a stream; chunk boundaries may be anywhere. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  let id = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end of a chunk may be the first half of a line end.
    const parts = rest.split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    for (const line of parts) {
      if (line !== '') {
        lines.push(line);
        continue;
      }
      if (lines.length === 0) continue;
      const block = parseBlock(lines, id);
      lines = [];
      id = block.id;
      yield block;
    }
  }
}

function parseBlock(lines: readonly string[], lastId: string): ServerEvent {
  const fields = lines.map(parseField);
  const last = (name: string, valid: RegExp) =>
    fields.findLast((field) => field.name === name && valid.test(field.value))?.value;
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value);
  const retry = last('retry', /^\d{1,9}$/);
  return {
    id: last('id', /^[^\0]*$/) ?? lastId,
    event: last('event', /^/) ?? '',
    data: data.length === 0 ? undefined : data.join('\n'),
    retryMs: retry === undefined ? undefined : Number(retry),
  };
}

/** A comment line is parsed as a field with an empty name. */
function parseField(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line, value: '' };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') };
}
