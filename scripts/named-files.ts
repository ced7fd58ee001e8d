import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

/** The test files of each program that `npm test` started. */
const FILES = new Map<string, string>(JSON.parse(process.env['TEST_PROGRAMS'] ?? '[]'));

/** The test files of a program, or the file itself. */
export function nameOf(file: string): string {
  return FILES.get(file) ?? file;
}

/** The reporter `spec` of the test runner, which names the test files of a program that failed. */
export default async function* namedFiles(events: AsyncIterable<TestEvent>) {
  yield* Readable.from(named(events)).pipe(new spec());
}

async function* named(events: AsyncIterable<TestEvent>) {
  for await (const event of events) yield { ...event, data: withFiles(event.data) };
}

function withFiles<Data extends object | undefined>(data: Data): Data {
  if (data === undefined) return data;
  const { name, file } = data as { readonly name?: string; readonly file?: string };
  return {
    ...data,
    ...(name !== undefined && { name: nameOf(name) }),
    ...(file !== undefined && { file: nameOf(file) }),
  };
}
