import { requiredReason, uuidParams } from '../../../http/requests/parameters.ts';
import { purgeReport } from '../../../operations/purge.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { visible } from '../../output/show.ts';
import { usesStore } from '../../server-or-store.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

export const reportRemove: Command = {
  usage: '<service> <id> | --store <id> --reason <text>',
  arguments: {
    '<service>': 'The slug of the service; not with --store',
    '<id>': 'The id of the report',
  },
  options: {
    ...connectionOptions,
    store: {
      type: 'boolean',
      description:
        'Remove it from the store, whoever reported it; a tombstone and the reason remain',
    },
    reason: {
      type: 'string',
      value: '<text>',
      description: 'With --store: why, for the audit log and the tombstone',
    },
  },
  examples: [
    {
      command: 'rapsheet report remove ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d81',
      description: 'Remove a report of the service ply',
    },
    {
      command:
        "rapsheet report remove --store 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d82 --reason 'court order 12/26'",
      description: 'Remove a report of anybody',
    },
  ],
  positionals: [1, 2],
  async run(input) {
    // Never by itself: what is removed from the store needs no permission.
    if (input.options['store'] === true && usesStore(input)) return removeFromStore(input);
    const [service = '', id] = input.positionals;
    if (id === undefined)
      throw new CommandError('<id> (the id of the report) is missing', EXIT.usage);
    if (input.options['reason'] !== undefined)
      throw new CommandError('--reason needs --store', EXIT.usage);
    const deleted = await connect(input).deleteReport(service, id);
    input.print(deleted, visible(deleted.message));
  },
};

async function removeFromStore(input: CommandInput): Promise<void> {
  if (input.positionals.length > 1)
    throw new CommandError('with --store, give only the id of the report', EXIT.usage);
  const { id, reason } = parseInput(
    uuidParams.extend(requiredReason.shape),
    { id: input.positionals[0], reason: input.options['reason'] },
    { id: '<id>', reason: '--reason' },
  );
  await onStore(input, (deps) => purgeReport(deps, auditContextOf(deps), id, reason));
  const message = `Report ${id} was removed.`;
  input.print({ message, successful: true }, message);
}
