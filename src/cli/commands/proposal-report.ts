import type { ReportProposalBody } from '../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';

export const proposalReport: Command = {
  name: 'proposal report',
  usage: '<id> [--tag <tag>]… [--link <url>] [--confidence <n>]',
  summary: 'Report what is proposed; prints the id of the report',
  options: {
    ...connectionOptions,
    tag: { type: 'string', multiple: true },
    link: { type: 'string' },
    confidence: { type: 'string' },
  },
  positionals: [1, 1],
  async run(input) {
    const [id = ''] = input.positionals;
    const reported = await connect(input).reportProposal(id, readChanges(input.options));
    input.print(reported, reported.id);
  },
};

/** The values are validated by the server, whose errors list the valid ones. */
function readChanges(options: CommandInput['options']): ReportProposalBody {
  const { link, confidence } = options as Record<string, string | undefined>;
  if (confidence !== undefined && !/^\d{1,9}$/.test(confidence))
    throw new CommandError('--confidence must be a whole number', EXIT.usage);
  return {
    tags: options['tag'] as readonly string[] | undefined,
    referenceLink: link,
    confidenceScore: confidence === undefined ? undefined : Number(confidence),
  };
}
