/** One event of a server-sent stream (HTML standard, 9.2). */
export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Independent of the decoder in `src/client`, so that the two do not share a defect. */
export async function* decodeEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = decodeBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function decodeBlock(block: string): StreamEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields[name] = value ?? '';
  }
  const { id = '', event = 'message', data } = fields;
  return data === undefined ? undefined : { id, event, data };
}
