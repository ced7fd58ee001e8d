import type { LoadOptions } from './raw-client.ts';

export interface LargeImportOptions extends LoadOptions {
  /** Returns the line with that index. */
  readonly line: (index: number) => string;
  readonly lines: number;
}

/** Imports many lines of the maximum size in one request. */
export async function importLargeLines(
  options: LargeImportOptions,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const { url, token, line, lines } = options;
  const response = await fetch(`${url}/admin/samples`, {
    method: 'POST',
    headers: {
      authorization: token ?? '',
      'content-type': 'application/x-ndjson',
    },
    body: ReadableStream.from(encoded(line, lines)),
    duplex: 'half',
  });
  return { status: response.status, answer: await response.json() };
}

async function* encoded(line: (index: number) => string, lines: number) {
  for (let index = 0; index < lines; index += 1) yield Buffer.from(`${line(index)}\n`);
}
