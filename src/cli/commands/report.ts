import type { CreateReportBody } from '../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';

export const report: Command = {
  name: 'report',
  usage: `<service> --c2 <host:port> --hash <sha256> [--tag <tag>]… [--link <url>] [--confidence <n>] [--key <idempotency key>] ${connectionUsage}`,
  summary: 'Report a C2 address to a service; prints the id of the report',
  options: {
    ...connectionOptions,
    c2: { type: 'string' },
    hash: { type: 'string' },
    tag: { type: 'string', multiple: true },
    link: { type: 'string' },
    confidence: { type: 'string' },
    key: { type: 'string' },
  },
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    const body = readBody(input.options);
    const key = input.options['key'] as string | undefined;
    const created = await connect(input).createReport(service, body, key);
    input.print(created, created.id);
  },
};

/** The values are validated by the server, whose errors list the valid ones. */
function readBody(options: CommandInput['options']): CreateReportBody {
  const { c2, hash, confidence } = options as Record<string, string | undefined>;
  if (c2 === undefined || hash === undefined)
    throw new CommandError('--c2 and --hash are required: see --help', EXIT.usage);
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
