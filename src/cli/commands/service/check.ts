import { type Command, CommandError, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { tableOf } from '../../output/list.ts';
import { ownershipColumns } from '../../output/ownership-table.ts';

export const serviceCheck: Command = {
  usage: '<service> <pattern> --method dns|http',
  arguments: { '<service>': 'The slug of the service', '<pattern>': 'A declared host or network' },
  options: {
    ...connectionOptions,
    method: { type: 'string', value: 'dns|http', description: 'How the proof is published' },
  },
  examples: [
    {
      command: "rapsheet service check ply '*.ply.example' --method dns",
      description: 'Check the record in the DNS',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', pattern = ''] = input.positionals;
    const { method } = input.options;
    if (method !== 'dns' && method !== 'http')
      throw new CommandError('give the method: --method dns or --method http', EXIT.usage);
    const checked = await connect(input).checkOwnership(service, { pattern, method });
    input.print(checked, tableOf(ownershipColumns, [checked]));
    if (checked.state !== 'verified')
      throw new CommandError(`${pattern} is not proven: ${checked.problem ?? 'unknown'}`);
  },
};
