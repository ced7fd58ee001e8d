import type { RapsheetClient } from '../../client/client.ts';
import { CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect } from '../connection.ts';
import { openLineSource } from '../input/line-source.ts';
import { visible } from '../output/show.ts';

type Document = Readonly<Record<string, unknown>>;

interface Submission {
  readonly client: RapsheetClient;
  readonly service: string;
  readonly document: Document;
  readonly key: string | undefined;
}

/** What became of a document. */
interface Outcome {
  readonly answer: unknown;
  readonly text: string;
  readonly refusals: readonly string[];
}

const SENDERS: Readonly<Record<string, (submission: Submission) => Promise<Outcome>>> = {
  xarf: submitXarf,
  misp: submitMisp,
  stix: submitStix,
};

/** The formats of documents that other programs write. */
export const DOCUMENT_FORMATS = Object.keys(SENDERS);

interface NamedDocument {
  readonly service: string;
  readonly format: string;
  /** `-` is standard input. */
  readonly file: string;
}

/** Reports what a document contains to a service. */
export async function submitDocument(input: CommandInput, named: NamedDocument): Promise<void> {
  const { answer, text, refusals } = await submit(input, named);
  for (const refusal of refusals) input.printMessage(visible(refusal));
  input.print(answer, text);
  if (refusals.length > 0) throw new CommandError('some reports were refused');
}

async function submit(
  input: CommandInput,
  { service, format, file }: NamedDocument,
): Promise<Outcome> {
  const send = SENDERS[format];
  if (send === undefined) throw new CommandError(`${format} is no format`, EXIT.usage);
  const key = input.options['key'] as string | undefined;
  if (key !== undefined && format === 'stix')
    throw new CommandError('STIX objects need no --key: their ids are it', EXIT.usage);
  const client = connect(input);
  return await send({ client, service, document: await readDocument(file), key });
}

async function readDocument(file: string): Promise<Document> {
  const chunks: Buffer[] = [];
  for await (const chunk of openLineSource(file).stream) chunks.push(Buffer.from(chunk));
  try {
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return document as Document;
  } catch {
    // Not JSON: refused below.
  }
  throw new CommandError(`${file === '-' ? 'standard input' : file} is not one JSON object`);
}

async function submitXarf({ client, service, document, key }: Submission): Promise<Outcome> {
  const answer = await client.createFromXarf(service, document, key);
  return { answer, text: answer.id, refusals: [] };
}

async function submitMisp({ client, service, document, key }: Submission): Promise<Outcome> {
  const results = await Array.fromAsync(await client.createFromMisp(service, document, key));
  const refused = results.filter(({ successful }) => !successful);
  const replayed = results.filter((result) => result.replayed === true).length;
  const created = results.length - refused.length - replayed;
  return {
    answer: { created, replayed, refused: refused.length, results },
    text: `${created} created, ${replayed} created before, ${refused.length} refused`,
    refusals: refused.map(({ c2Address, error = '' }) => `${c2Address}: ${error}`),
  };
}

async function submitStix({ client, service, document }: Submission): Promise<Outcome> {
  const status = await client.createFromStix(service, document);
  const { success_count: accepted, failure_count: refused, failures = [] } = status;
  return {
    answer: status,
    text: `${accepted} objects accepted, ${refused} refused`,
    refusals: failures.map(({ id, message = '' }) => `${id}: ${message}`),
  };
}
