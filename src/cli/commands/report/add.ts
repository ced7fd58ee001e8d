import type { RapsheetClient } from '../../../client/client.ts';
import { RapsheetError } from '../../../client/error.ts';
import type { CreateReportBody, KnownAs, ReportPreview } from '../../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { DOCUMENT_FORMATS, submitDocument } from '../../feeds/report-document.ts';
import { reportLines } from '../../feeds/report-lines.ts';
import { canAsk, confirm } from '../../input/confirm.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { knownText } from '../../output/known-text.ts';
import { inCommandTerms } from '../../output/refusal-text.ts';
import { visible } from '../../output/show.ts';
import { table } from '../../output/table.ts';

const LINES = 'ndjson';
const FORMATS = [LINES, ...DOCUMENT_FORMATS];

export const reportAdd: Command = {
  usage: `<service> --c2 <host:port> --hash <sha256> [--tag <tag>]… [--link <url>] [--confidence <n>] [--key <idempotency key>] [--dry-run] [--yes] | <service> <file|-> [--format ${FORMATS.join('|')}] [--key <idempotency key>] [--ndjson]`,
  arguments: {
    '<service>': 'The slug of the service',
    '<file|->': 'Read the reports from a file; - is standard input',
  },
  options: {
    ...connectionOptions,
    c2: { type: 'string', value: '<host:port>', description: 'The address of the C2' },
    hash: {
      type: 'string',
      value: '<sha256>',
      description: 'The SHA-256 of the file that calls it',
    },
    tag: {
      type: 'string',
      multiple: true,
      value: '<tag>',
      description: 'A tag, such as the family',
    },
    link: { type: 'string', value: '<url>', description: 'A page that says more about the C2' },
    confidence: {
      type: 'string',
      value: '<n>',
      description: 'How sure you are, from 0 to the scale of the service',
    },
    'dry-run': {
      type: 'boolean',
      description: 'Store nothing; print the report that would be stored',
    },
    yes: { type: 'boolean', description: 'Report a host of a known-good list without a question' },
    key: {
      type: 'string',
      value: '<idempotency key>',
      description: 'Repeating the command with the same key creates nothing twice',
    },
    format: {
      type: 'string',
      value: FORMATS.join('|'),
      description:
        'The format of the file: one JSON object per line, the default, or one document of another program',
    },
    ndjson: { type: 'boolean', description: 'Print the result of each line of the file as JSON' },
  },
  examples: [
    {
      command:
        'rapsheet report add ply --c2 tunnel.ply.example:4444 --hash 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f --tag asyncrat',
      description: 'Report a C2 to the service ply',
    },
    {
      command:
        'rapsheet report add ply --c2 tunnel.ply.example:4444 --hash 275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f --dry-run',
      description: 'See what would be stored',
    },
    {
      command: 'rapsheet report add ply reports.ndjson --key campaign-1',
      description: 'Report many C2s, one JSON object per line',
    },
    {
      command: 'rapsheet report add ply event.json --format misp',
      description: 'Report what a MISP event contains',
    },
  ],
  positionals: [1, 2],
  async run(input) {
    const [, file] = input.positionals;
    return file === undefined ? reportOne(input) : reportFile(input, file);
  },
};

async function reportOne(input: CommandInput): Promise<void> {
  const excess = OF_A_FILE.find((name) => input.options[name] !== undefined);
  if (excess !== undefined)
    throw new CommandError(`--${excess} needs a file: report add <service> <file>`, EXIT.usage);
  const [service = ''] = input.positionals;
  const body = readBody(input.options);
  if (input.options['dry-run'] === true) return previewOne(input, service, body);
  const key = input.options['key'] as string | undefined;
  const client = connect(input);
  if (input.options['yes'] !== true && !(await isMeant(client, body.c2Address)))
    return input.print({ successful: false }, 'Nothing was reported.');
  const created = await client.createReport(service, body, key);
  input.print(created, visible(created.id));
  if (created.c2Rejected) input.printMessage(C2_REJECTED);
}

/** Whether the reporter means it, although a list knows the host as good. */
async function isMeant(client: RapsheetClient, c2: string): Promise<boolean> {
  const good = (await knownAsOf(client, c2)).find(({ kind }) => kind === 'good');
  if (good === undefined) return true;
  const known = `${c2} is in the list of good hosts "${good.list}", so no block list will have it`;
  if (canAsk()) return confirm(`${known}. Report it?`);
  throw new CommandError(`${known}. Add --yes to report it.`, EXIT.failed);
}

/** The create itself says what is wrong with an address. An older server knows no lists. */
async function knownAsOf(client: RapsheetClient, c2: string): Promise<readonly KnownAs[]> {
  try {
    return (await client.route(c2)).knownAs ?? [];
  } catch (cause) {
    if (cause instanceof RapsheetError) return [];
    throw cause;
  }
}

async function previewOne(
  input: CommandInput,
  service: string,
  body: CreateReportBody,
): Promise<void> {
  const preview = await connect(input).previewReport(service, body);
  if (preview.report === null)
    throw new CommandError(
      inCommandTerms(preview.problems.map(({ error }) => error).join(' '), reportAdd),
    );
  input.print(preview, previewText(service, preview.report, preview));
}

const OF_A_FILE = ['format', 'ndjson'];
const OF_ONE_REPORT = ['c2', 'hash', 'tag', 'link', 'confidence', 'dry-run', 'yes'];

async function reportFile(input: CommandInput, file: string): Promise<void> {
  const excess = OF_ONE_REPORT.find((name) => input.options[name] !== undefined);
  if (excess !== undefined)
    throw new CommandError(
      `--${excess} is for a single report: in a file each report has all of its members`,
      EXIT.usage,
    );
  const [service = ''] = input.positionals;
  const { format = LINES, ndjson } = input.options as Record<string, string | undefined>;
  if (!FORMATS.includes(format))
    throw new CommandError(`the format is one of ${FORMATS.join(', ')}`, EXIT.usage);
  if (format === LINES) return reportLines(input, service, file);
  if (ndjson !== undefined) throw new CommandError('--ndjson is for a file of lines', EXIT.usage);
  return submitDocument(input, { service, format, file });
}

const C2_REJECTED =
  'the desk has rejected this C2 as a false positive: it is on no block list until the desk takes that back';

function previewText(
  service: string,
  stored: NonNullable<ReportPreview['report']>,
  preview: ReportPreview,
): string {
  const { confirmation, sightings, corroboration, firstSeenID, expiresAt, ...fields } = stored;
  const rows = [
    ...Object.entries(fields).map(([name, value]) => [name, shown(value)]),
    ['firstSeenID', firstSeenID ?? 'this report'],
    ['expiresAt', expiresAt],
    ['sightings', `${sightings}, ${preview.ownReports} of them yours already`],
    ['corroboration', `${corroboration} other accounts`],
    ['confirmation', confirmation],
    ['route', routeText(service, preview)],
    ...(preview.c2Rejected ? [['rejected', C2_REJECTED]] : []),
    ...(preview.knownAs?.length > 0 ? [['known as', knownText(preview.knownAs)]] : []),
  ];
  return `${table(['FIELD', 'VALUE'], rows)}\nNothing was stored.`;
}

function routeText(service: string, { service: found, feed }: ReportPreview): string {
  if (found !== null)
    return found === service ? service : `${found} answers for this address, not ${service}`;
  const text = 'no service has declared this address';
  return feed === null || feed === service ? text : `${text}: the feed of such ones is ${feed}`;
}

function shown(value: string | number | boolean | readonly string[]): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The values are validated by the server, whose errors list the valid ones. */
function readBody(options: CommandInput['options']): CreateReportBody {
  const { c2, hash, confidence } = options as Record<string, string | undefined>;
  if (c2 === undefined)
    throw new CommandError('--c2 <host:port> is missing: the address of the C2', EXIT.usage);
  if (hash === undefined)
    throw new CommandError(
      '--hash <sha256> is missing: the SHA-256 of the file that calls the C2',
      EXIT.usage,
    );
  if (confidence !== undefined && !/^\d{1,9}$/.test(confidence))
    throw new CommandError('--confidence must be a whole number', EXIT.usage);
  return {
    c2Address: c2,
    file256Hash: hash,
    tags: options['tag'] as readonly string[] | undefined,
    referenceLink: options['link'] as string | undefined,
    confidenceScore: confidence === undefined ? undefined : Number(confidence),
  };
}
