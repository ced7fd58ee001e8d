/** The chunks of a body. The stream ends if no chunk arrives for `silentMs`. */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  silentMs?: number,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  try {
    for (;;) {
      const timer = silentMs === undefined ? undefined : setTimeout(stop, silentMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    stop();
  }
}

/** The non-empty lines of a body, without line ends. The last line may lack its line end. */
export async function* readTextLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
