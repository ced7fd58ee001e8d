import { type Command, CommandError, EXIT } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { tableOf } from '../output/list.ts';
import { ownershipColumns } from '../output/ownership-table.ts';

export const ownershipCheck: Command = {
  name: 'ownership check',
  usage: '<service> <pattern> --method dns|http',
  summary: 'Check now whether a declared host is proven; fails if it is not',
  options: { ...connectionOptions, method: { type: 'string' } },
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
