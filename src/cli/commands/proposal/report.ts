import type { ReportProposalBody } from '../../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { visible } from '../../output/show.ts';

export const proposalReport: Command = {
  usage: '<id> [--tag <tag>]… [--link <url>] [--confidence <n>]',
  arguments: { '<id>': 'The id of the proposal' },
  options: {
    ...connectionOptions,
    tag: {
      type: 'string',
      multiple: true,
      value: '<tag>',
      description: 'A tag instead of those of the proposal',
    },
    link: { type: 'string', value: '<url>', description: 'A page that says more about the C2' },
    confidence: {
      type: 'string',
      value: '<n>',
      description: 'How sure you are, from 0 to the scale of the service',
    },
  },
  examples: [
    {
      command: 'rapsheet proposal report 0198e5a0-0000-7000-8000-000000000001 --confidence 90',
      description: 'Report what is proposed',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [id = ''] = input.positionals;
    const reported = await connect(input).reportProposal(id, readChanges(input.options));
    input.print(reported, visible(reported.id));
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
