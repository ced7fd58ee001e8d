import { requiredReason, uuidParams } from '../../http/requests/parameters.ts';
import { purgeReport as purge } from '../../operations/purge.ts';
import type { Command } from '../command.ts';
import { auditContextOf, onStore, parseInput } from '../store-command.ts';

export const purgeReport: Command = {
  name: 'purge report',
  usage: '<id> --reason <text>',
  summary: 'Remove a report from its feed; a tombstone and the reason remain',
  arguments: { '<id>': 'The id of the report' },
  options: {
    reason: {
      type: 'string',
      value: '<text>',
      description: 'Why, for the audit log and the tombstone',
    },
  },
  examples: [
    {
      command:
        "rapsheet purge report 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d82 --reason 'court order 12/26'",
      description: 'Remove a report',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const { id, reason } = parseInput(
      uuidParams.extend(requiredReason.shape),
      { id: input.positionals[0], reason: input.options['reason'] },
      { id: '<id>', reason: '--reason' },
    );
    await onStore(input, (deps) => purge(deps, auditContextOf(deps), id, reason));
    const message = `Report ${id} was removed.`;
    input.print({ message, successful: true }, message);
  },
};
