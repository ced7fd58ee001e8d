import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { tableOf } from '../output/list.ts';
import { ownershipColumns } from '../output/ownership-table.ts';

export const ownershipCheck: Command = {
  name: 'ownership check',
  usage: '<service> <pattern> --method dns|http',
  summary: 'Check now whether a declared host is proven; fails if it is not',
  arguments: { '<service>': 'The slug of the service', '<pattern>': 'A declared host or network' },
  options: {
    ...connectionOptions,
    method: { type: 'string', value: 'dns|http', description: 'How the proof is published' },
  },
  examples: [
    {
      command: "rapsheet ownership check ply '*.ply.example' --method dns",
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
